import Logging
import Recording

/// Log lines about recordings.
struct RecordingLog: Sendable {
    let logger: Logger

    func note(_ change: RecordingChange) {
        switch change {
        case .started: break
        case .suspended(let status):
            logger.error(
                "recording is suspended and will be retried: \(Self.reason(status))", metadata: Self.metadata(status))
        case .resumed(let status): logger.notice("recording has resumed in a new file", metadata: Self.metadata(status))
        case .damaged(let status):
            var metadata = Self.metadata(status)
            metadata["damagedFrames"] = "\(status.statistics.damagedFrames)"
            metadata["timeJumps"] = "\(status.statistics.timeJumps)"
            logger.warning("recorded stream is damaged or its time jumps", metadata: metadata)
        case .finished(let status):
            guard status.phase == .failed else { return }
            logger.error("recording failed: \(Self.reason(status))", metadata: Self.metadata(status))
        case .composed(let composition): note(composition)
        }
    }

    private func note(_ composition: Composition) {
        var metadata: Logger.Metadata = ["session": "\(composition.session)", "folder": "\(composition.folder)"]
        if let error = composition.error {
            let start = UTCTime(unixNanoseconds: composition.from).extended
            logger.warning(
                "the session's recordings are not composed: \(error); millrace compose with --from \(start) makes the file",
                metadata: metadata)
        } else {
            metadata["file"] = "\(composition.output)"
            metadata["bytes"] = "\(composition.bytes)"
            metadata["seconds"] = "\(Int(composition.duration))"
            metadata["warnings"] = "\(composition.warnings)"
            logger.notice("the session's recordings are one file", metadata: metadata)
        }
    }

    func note(_ loss: JournalLoss) { logger.error("chat, joins, leaves and moves are not recorded: \(loss)") }

    private static func reason(_ status: RecordingStatus) -> String { status.error?.description ?? "unknown" }

    private static func metadata(_ status: RecordingStatus) -> Logger.Metadata {
        ["session": "\(status.session)", "stream": "\(status.stream)"]
    }
}
