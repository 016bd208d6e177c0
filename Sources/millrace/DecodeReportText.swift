import Foundation
import Recording

/// Findings of decoding as text.
struct DecodeReportText {
    private(set) var lines: [String] = []

    init(_ report: DecodeReport, verify: Bool) {
        var head = "\(report.file): \(report.container)"
        if let writer = report.writer, !writer.isEmpty { head += " by \(writer)" }
        lines.append(head + ", \(report.bytes) bytes")
        if let video = report.video { add(video, verify: verify) }
        if let audio = report.audio { add(audio, verify: verify) }
        if verify { addStructure(report) }
        let speed = report.elapsed > 0 ? Double(report.video?.frames ?? 0) / report.elapsed : 0
        var end = "  decoded in \(Self.number(report.elapsed, 2)) s"
        if report.video != nil { end += ", \(Self.number(speed, 0)) frames a second" }
        lines.append(end)
        if verify {
            lines.append(report.isDamaged ? "  DAMAGED" : report.isBeingWritten ? "  still being written" : "  whole")
        }
    }

    /// Returns the reasons why the file counts as damaged.
    static func complaints(_ report: DecodeReport) -> [String] {
        var all = report.damage
        // The incomplete end of a growing file is not reported. It is the last note, if all notes were kept.
        if report.isBeingWritten, report.isCutOff, report.damageCount == all.count { all.removeLast() }
        if report.damageCount > report.damage.count {
            all.append("… and \(report.damageCount - report.damage.count) more")
        }
        all += report.errors.prefix(20)
        if let video = report.video, video.skipped > 0 {
            all.append("\(video.skipped) frames dropped because they refer to missing frames")
        }
        if report.undecryptable > 0 {
            all.append("\(report.undecryptable) frames and packets that the secret does not open")
        }
        let errors = (report.video?.errors ?? 0) + (report.audio?.errors ?? 0)
        if errors > 20 { all.append("… \(errors) decoding errors in all") }
        return all
    }

    private mutating func add(_ video: DecodeReport.Video, verify: Bool) {
        var line =
            "  video: \(video.codec) \(video.width)x\(video.height), \(video.frames) frames, \(video.keyFrames) key frames"
        if let start = video.start, let end = video.end {
            line += ", \(Self.number(start, 3)) to \(Self.number(end, 3)) s"
        }
        if video.sizeChanges > 0 { line += ", \(video.sizeChanges) changes of size" }
        if video.hidden > 0 { line += ", \(video.hidden) hidden" }
        if video.empty > 0 { line += ", \(video.empty) empty" }
        lines.append(line)
        if video.gapCount > 0 || verify { addGaps(video.gaps, video.gapCount, verify: verify) }
    }

    private mutating func add(_ audio: DecodeReport.Audio, verify: Bool) {
        var line = "  audio: Opus, \(audio.channels == 1 ? "mono" : "stereo"), \(audio.packets) packets"
        if let start = audio.start, let end = audio.end {
            line += ", \(Self.number(start, 3)) to \(Self.number(end, 3)) s"
        }
        lines.append(line)
        if audio.gapCount > 0 || verify { addGaps(audio.gaps, audio.gapCount, verify: verify) }
    }

    private mutating func addGaps(_ gaps: [DecodeReport.Gap], _ count: Int, verify: Bool) {
        guard count > 0 else {
            lines.append("    no gaps")
            return
        }
        lines.append("    \(count) \(count == 1 ? "gap" : "gaps")")
        guard verify else { return }
        for gap in gaps.prefix(20) {
            lines.append("      at \(Self.number(gap.at, 3)) s for \(Self.number(gap.duration * 1000, 0)) ms")
        }
        if count > 20 { lines.append("      …") }
    }

    private mutating func addStructure(_ report: DecodeReport) {
        if let offset = report.audioOffset {
            lines.append("  audio begins \(Self.number(offset * 1000, 0)) ms after the first frame")
        }
        if let closed = report.isClosed {
            let state =
                closed
                ? "closed"
                : report.isBeingWritten
                    ? "open: it is being written"
                    : "never closed: its writer was killed, or it is a copy of an open file"
            lines.append(
                "  structure: \(state); \(report.clusters ?? 0) clusters, \(report.hasCues == true ? "with" : "without") an index"
            )
        }
        if let claimed = report.claimedDuration { lines.append("  header says \(Self.number(claimed, 3)) s") }
        for track in report.ignoredTracks { lines.append("  not decoded: \(track)") }
    }

    private static func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
