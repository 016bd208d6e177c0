package import MediaBase

/// Coalesces key-frame requests for one producer: at most one in `interval`. A request in between is remembered and goes out at the
/// end of the interval, unless a key frame came.
package struct KeyFrameRequestThrottle: Sendable {
    package static let interval = MediaTime.milliseconds(500)

    package private(set) var isWanted = false
    private var lastSent: MediaTime?

    package init() {}

    package mutating func request() { isWanted = true }

    /// The key frame that was asked for last helps nobody who asks from here on: the next request does not wait for the end of its interval.
    package mutating func startAnew() { lastSent = nil }

    package mutating func keyFrameArrived() { isWanted = false }

    /// When a request has to go out; nil when none is wanted.
    package var deadline: MediaTime? {
        guard isWanted else { return nil }
        return lastSent.map { $0 + Self.interval } ?? .zero
    }

    /// True where a request has to be sent now; it counts as sent.
    package mutating func take(now: MediaTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        isWanted = false
        lastSent = now
        return true
    }
}
