import Foundation
import LoadGenerator

/// Files that a load run writes, if they were requested.
struct LoadFiles {
    /// Paths; nil: not requested.
    let timeline: String?
    let report: String?

    /// Creates the files, empty, so that a path that cannot be written is reported before the run.
    func prepare() throws(LoadError) {
        for (option, path) in [("timeline", timeline), ("report", report)] {
            guard let path else { continue }
            try write("", to: path, option)
        }
    }

    func write(_ load: LoadRun, _ finished: LoadReport) throws {
        if let timeline {
            try write(TimelineDocument(load.timeline, settings: load.settings), to: timeline)
        }
        if let report { try write(LoadPage(finished, load.timeline).html, to: report, "report") }
    }

    /// Writes the timeline of a run that ended without a report.
    func write(_ load: LoadRun, failure: any Error) throws {
        guard let timeline else { return }
        let document = TimelineDocument(load.timeline, settings: load.settings, failure: "\(failure)")
        try write(document, to: timeline)
    }

    private func write(_ timeline: TimelineDocument, to path: String) throws {
        try write(try CommandOutput.json(timeline), to: path, "timeline")
    }

    private func write(_ text: String, to path: String, _ option: String) throws(LoadError) {
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
            throw .invalidSetting(option, reason: "\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
