import RTP

/// Detector of H.264 frames that are not sent in the order in which they are shown (B frames), by a sequence parameter set or by their
/// timestamps. WebRTC receivers show frames as they arrive, so such video stutters.
struct FrameOrder: Sendable {
    /// Maximum delay of a reordered frame in RTP time; a longer one is a jump of the publisher's clock. 1 s.
    private static let longestReordering: Int64 = 90_000
    /// Number of delayed frames after which frames count as reordered. One alone may be a correction of the publisher's clock.
    private static let delayedFramesLimit = 2

    private(set) var isReordered = false
    /// Number of frames whose timestamp was before that of the frame sent before them.
    private var delayedFrames = 0

    /// Takes the first packet of the next frame.
    /// - Parameter previous: timestamp of the previous packet.
    mutating func note(_ sets: FrameFacts.ParameterSets, timestamp: Int64, after previous: Int64) {
        if sets.contains(.reordersFrames) { isReordered = true }
        let delay = previous &- timestamp
        guard delay > 0, delay < Self.longestReordering else { return }
        delayedFrames &+= 1
        if delayedFrames >= Self.delayedFramesLimit { isReordered = true }
    }
}
