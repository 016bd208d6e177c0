package import MediaBase

/// Coalesces key frame requests for one producer: at most one per `interval`. A request in between is sent at the end of the interval,
/// unless a key frame arrives first.
///
/// A subscriber that waits for its first frame of an encoding need not wait for the interval of another subscriber's request: its own is
/// sent `awaitedInterval` after the last. The number of such early requests is limited, because each costs a key frame.
package struct KeyFrameRequestThrottle: Sendable {
    package static let interval = MediaTime.milliseconds(500)

    /// Interval if a subscriber waits for its first frame. Chromium ignores requests within 300 ms of one that it served, so every second
    /// one of these reaches its encoder.
    package static let awaitedInterval = MediaTime.milliseconds(160)
    /// Maximum number of requests in `earlyWindow` that are sent before the end of `interval`.
    package static let earlyLimit = 4
    package static let earlyWindow = MediaTime.seconds(2)

    /// Time after which a publisher has ignored a request: several frame intervals, round trips and the 300 ms of Chromium.
    package static let answerTime = MediaTime.seconds(2)

    package private(set) var isWanted = false
    /// Whether a subscriber of the wanted key frame gets nothing before it.
    package private(set) var isAwaited = false
    private var lastSent: MediaTime?
    /// Time of the first request in a series, at most `answerTime` apart, that no key frame has followed.
    private var unansweredSince: MediaTime?
    /// Whether the request sent last repeats one from at least `answerTime` before that no key frame has followed.
    package private(set) var isIgnored = false
    /// Number of early requests since `earlySince`.
    private var early = 0
    private var earlySince: MediaTime?

    package init() {}

    /// Requests a key frame.
    /// - Parameter isAwaited: true if a subscriber gets nothing of the producer before its key frame.
    package mutating func request(isAwaited: Bool = false) {
        isWanted = true
        if isAwaited { self.isAwaited = true }
    }

    /// Makes the next request due at once, because the key frame of the last request does not serve new subscribers.
    package mutating func startAnew() { lastSent = nil }

    package mutating func keyFrameArrived() {
        isWanted = false
        isAwaited = false
        unansweredSince = nil
        isIgnored = false
    }

    /// Time at which a request must be sent; nil if none is wanted.
    package var deadline: MediaTime? {
        guard isWanted else { return nil }
        guard let lastSent else { return .zero }
        let end = lastSent + Self.interval
        guard isAwaited else { return end }
        let early = lastSent + Self.awaitedInterval
        guard let earlySince, self.early >= Self.earlyLimit else { return early }
        return min(end, max(early, earlySince + Self.earlyWindow))
    }

    /// Returns true if a request must be sent now, and counts it as sent.
    package mutating func take(now: MediaTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        if let lastSent, now - lastSent < Self.interval { noteEarly(now: now) }
        noteUnanswered(now: now)
        isWanted = false
        isAwaited = false
        lastSent = now
        return true
    }

    private mutating func noteUnanswered(now: MediaTime) {
        guard let unansweredSince, let lastSent, now - lastSent <= Self.answerTime else {
            unansweredSince = now
            isIgnored = false
            return
        }
        isIgnored = now - unansweredSince >= Self.answerTime
    }

    private mutating func noteEarly(now: MediaTime) {
        if let earlySince, now - earlySince < Self.earlyWindow {
            early += 1
        } else {
            earlySince = now
            early = 1
        }
    }
}
