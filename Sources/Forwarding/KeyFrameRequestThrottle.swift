package import MediaBase

/// Coalesces key-frame requests for one producer: at most one in `interval`. A request in between is remembered and goes out at the
/// end of the interval, unless a key frame came.
///
/// A subscriber that waits for its first frame of an encoding does not wait for the interval of a request that another one made: its
/// request goes out `awaitedInterval` after the last. Only so many do that, because each costs a key frame.
package struct KeyFrameRequestThrottle: Sendable {
    package static let interval = MediaTime.milliseconds(500)

    /// Interval of requests that a first frame waits for. Chromium ignores requests within 300 ms of one that it served, so the second of these
    /// reaches its encoder.
    package static let awaitedInterval = MediaTime.milliseconds(160)
    /// Requests that go out before the end of `interval`, in `earlyWindow`.
    package static let earlyLimit = 4
    package static let earlyWindow = MediaTime.seconds(2)

    package private(set) var isWanted = false
    private var isAwaited = false
    private var lastSent: MediaTime?
    /// Early requests since then.
    private var early = 0
    private var earlySince: MediaTime?

    package init() {}

    /// - Parameter isAwaited: a subscriber gets nothing of the producer before its key frame.
    package mutating func request(isAwaited: Bool = false) {
        isWanted = true
        if isAwaited { self.isAwaited = true }
    }

    /// The key frame that was asked for last helps nobody who asks from here on: the next request does not wait for the end of its interval.
    package mutating func startAnew() { lastSent = nil }

    package mutating func keyFrameArrived() {
        isWanted = false
        isAwaited = false
    }

    /// When a request has to go out; nil when none is wanted.
    package var deadline: MediaTime? {
        guard isWanted else { return nil }
        guard let lastSent else { return .zero }
        let end = lastSent + Self.interval
        guard isAwaited else { return end }
        let early = lastSent + Self.awaitedInterval
        guard let earlySince, self.early >= Self.earlyLimit else { return early }
        return min(end, max(early, earlySince + Self.earlyWindow))
    }

    /// True where a request has to be sent now; it counts as sent.
    package mutating func take(now: MediaTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        if let lastSent, now - lastSent < Self.interval { noteEarly(now: now) }
        isWanted = false
        isAwaited = false
        lastSent = now
        return true
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
