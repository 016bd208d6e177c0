package import MediaBase

/// Limits the key frames that one subscriber can cause. A key frame is several times as large as other frames and goes to all subscribers
/// of its encoding. A subscriber that cannot decode, and sends one request after another, would otherwise lower the quality for all of
/// them.
///
/// A subscriber that waits for a key frame always gets one. Otherwise `limit` requests are served per `window`, until a new start refills
/// the budget: a frame lost on the subscriber's path is followed by one or two requests.
package struct KeyFrameBudget: Sendable {
    package enum Verdict: Sendable {
        case served
        /// Repeats a request that was just served; the key frame is on its way.
        case repeated
        case refused
    }

    /// Maximum number of requests that are served per `window`.
    package static let limit = 3
    package static let window = MediaTime.seconds(10)

    /// Times of the requests served within the window, the oldest first.
    private var served: [MediaTime] = []
    private var starts: UInt64 = 0

    package init() {}

    /// Decides whether to serve a request.
    /// - Parameters:
    ///   - starts: number of starts of the subscriber's track (`Consumer.Progress.starts`). A change means a switch, a pause or a loss at
    ///     the relay, and refills the budget.
    ///   - isWaiting: true if the track sends nothing before a key frame.
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
