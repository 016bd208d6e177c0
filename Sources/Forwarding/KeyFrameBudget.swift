package import MediaBase

/// Limits the key frames that one subscriber can cause. A key frame is several times as large as other frames and goes to all subscribers
/// of its encoding, so a subscriber that cannot decode, and requests one after another, would lower the quality for all of them.
///
/// A subscriber that waits for a key frame always gets one. While its packets go out without a new start it gets `limit` of them in
/// `window`: a frame lost on its path is followed by one or two requests.
package struct KeyFrameBudget: Sendable {
    package enum Verdict: Sendable {
        case served
        /// Repeats a request that was just served: its key frame is on its way.
        case repeated
        case refused
    }

    /// Requests that are served in `window`.
    package static let limit = 3
    package static let window = MediaTime.seconds(10)

    /// Times of the requests served within the window, the oldest first.
    private var served: [MediaTime] = []
    private var starts: UInt64 = 0

    package init() {}

    /// Judges a request.
    /// - Parameters:
    ///   - starts: how often the subscriber's track has begun at a key frame (`Consumer.Progress.starts`, by `StartCause.relay`). Another
    ///     number than before means a switch, a pause or a loss at the relay, and the budget is full again.
    ///   - isWaiting: nothing goes out on the track before a key frame.
    package mutating func judge(starts: UInt64, isWaiting: Bool, now: MediaTime) -> Verdict {
        if starts != self.starts {
            self.starts = starts
            served.removeAll(keepingCapacity: true)
        }
        if isWaiting { return .served }
        if let last = served.last, now - last < KeyFrameRequestThrottle.interval { return .repeated }
        served.removeAll { now - $0 >= Self.window }
        guard served.count < Self.limit else { return .refused }
        served.append(now)
        return .served
    }
}
