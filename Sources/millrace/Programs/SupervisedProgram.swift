import FFmpegBridge
import Foundation
import MediaBase

/// Keeps a program running until Ctrl-C or SIGTERM, and reports each start and end.
struct SupervisedProgram: Sendable {
    /// Report of a run, one line of JSON with `--json`.
    enum Report: Sendable {
        case started
        case line(String)
        case ended(reason: String, retryIn: MediaTime)
    }

    private static let look = Duration.milliseconds(100)

    let name: String
    let json: Bool

    /// - Parameter attempt: runs the program once; returns the reason for its end. Cancellation ends it.
    func run(_ attempt: @escaping @Sendable () async -> String) async {
        let interruption = Interruption()
        let work = Task { await repeated(attempt) }
        while !interruption.isRequested {
            guard (try? await Task.sleep(for: Self.look)) != nil else { break }
        }
        work.cancel()
        await work.value
    }

    private func repeated(_ attempt: @Sendable () async -> String) async {
        let clock = ContinuousClock()
        let origin = clock.now
        var schedule = RestartSchedule()
        while !Task.isCancelled {
            schedule.started(now: MediaTime(origin.duration(to: clock.now)))
            let reason = await attempt()
            if Task.isCancelled { return }
            let pause = schedule.ended(now: MediaTime(origin.duration(to: clock.now)))
            report(.ended(reason: reason, retryIn: pause))
            try? await Task.sleep(for: .nanoseconds(pause.rawValue))
        }
    }

    func report(_ report: Report) {
        if json {
            let members: [String: Any] =
                switch report {
                case .started: ["event": "started"]
                case .line(let text): ["event": "line", "text": text]
                case .ended(let reason, let retryIn):
                    ["event": "ended", "reason": reason, "retrySeconds": retryIn.seconds]
                }
            guard let data = try? JSONSerialization.data(withJSONObject: members, options: .sortedKeys) else { return }
            FileHandle.standardOutput.write(data + Data("\n".utf8))
        } else {
            switch report {
            case .started: CommandOutput.error("\(name) was started")
            case .line(let text): CommandOutput.error("\(name): \(CommandOutput.plain(text))")
            case .ended(let reason, let retryIn):
                CommandOutput.error("\(reason); next try in \(Int(retryIn.seconds.rounded(.up))) s")
            }
        }
    }

    /// Returns the reason for the end of a run, with the program's newest line.
    func reason(_ end: ChildProgram.End, _ program: ChildProgram) -> String {
        "\(name): \(end)" + (program.newestLine.map { " (\(CommandOutput.plain($0)))" } ?? "")
    }
}
