package import MediaBase
package import Signaling

/// Counts wrong passwords by address and session, so that they cannot be guessed (SES-4).
package struct PasswordLimiter: Sendable {
    package static let defaultLimit = 5
    package static let key = "limit.wrongPasswords"
    static let window = MediaTime.seconds(60)

    private struct Place: Hashable {
        let address: String
        let session: SessionKey
    }

    private let perMinute: Int
    private let capacity: Int
    /// Times of the wrong ones within the last minute, oldest first.
    private var wrong: [Place: [MediaTime]] = [:]
    /// Every count in the order in which it ends.
    private var order = RingQueue<(place: Place, at: MediaTime)>()

    /// - Parameter capacity: wrong passwords that are remembered; the oldest is forgotten for the next.
    package init(perMinute: Int = defaultLimit, capacity: Int = 100_000) {
        self.perMinute = max(perMinute, 1)
        self.capacity = max(capacity, 1)
    }

    package var remembered: Int { order.count }

    /// To be asked before a password is looked at.
    /// - Throws: `rateLimited`, with the seconds to wait.
    package mutating func check(address: String, session: SessionKey, now: MediaTime) throws(SignalingError) {
        expire(now)
        guard let times = wrong[Place(address: address, session: session)], times.count >= perMinute else { return }
        let wait = times[times.count - perMinute] + Self.window - now
        throw SignalingError(
            .rateLimited, "more than \(perMinute) wrong passwords a minute", limit: Self.key,
            retryAfter: max(1, Int((wait.rawValue + 999_999_999) / 1_000_000_000)))
    }

    /// After `passwordWrong`. `passwordNeeded` does not count: nothing was guessed.
    package mutating func recordWrong(address: String, session: SessionKey, now: MediaTime) {
        expire(now)
        if order.count >= capacity { forgetOldest() }
        let place = Place(address: address, session: session)
        wrong[place, default: []].append(now)
        order.append((place, now))
    }

    private mutating func expire(_ now: MediaTime) {
        while let first = order.first, first.at + Self.window <= now { forgetOldest() }
    }

    private mutating func forgetOldest() {
        guard let (place, _) = order.popFirst() else { return }
        wrong[place]?.removeFirst()
        if wrong[place]?.isEmpty == true { wrong[place] = nil }
    }
}
