import MediaBase
import Synchronization

/// State shared by a live stream's thread and its reader: waiting frames and the stop request.
final class LiveState: Sendable {
    private struct Values {
        var backlog: LiveBacklog
        var isStopWanted = false
    }

    /// An element after new frames; ends after the last one.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let values: Mutex<Values>

    init(_ options: LiveBacklog.Options) {
        values = Mutex(Values(backlog: LiveBacklog(options: options)))
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var isStopWanted: Bool { values.withLock { $0.isStopWanted } }
    var needsKeyFrame: Bool { values.withLock { $0.backlog.needsKeyFrame } }
    var bytes: Int { values.withLock { $0.backlog.bytes } }

    func stop() { values.withLock { $0.isStopWanted = true } }

    func begin(_ start: StreamRecording.Start) {
        values.withLock { $0.backlog.begin(start) }
        wake.yield()
    }

    /// - Returns: whether the reader fell behind, and whether it did so too often.
    func append(_ frame: StreamRecording.Frame, now: MediaTime) -> (isSkipped: Bool, isTooSlow: Bool) {
        let result = values.withLock { values in
            let skips = values.backlog.skips
            values.backlog.append(frame, now: now)
            return (isSkipped: values.backlog.skips > skips, isTooSlow: values.backlog.isTooSlow)
        }
        wake.yield()
        return result
    }

    /// Returns the oldest waiting element; nil if there is none, and after `stop`.
    func next() -> LiveBacklog.Element? { values.withLock { $0.isStopWanted ? nil : $0.backlog.next() } }

    func end() { wake.finish() }
}
