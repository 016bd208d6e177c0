import DequeModule
package import MediaBase
package import Signaling

/// Counts wrong static tokens by address. Refuses an address for a minute after too many wrong tokens within a minute,
/// so that tokens cannot be guessed.
package struct WrongTokenLimiter: Sendable {
    package static let key = "limit.wrongTokens"
    package static let defaultLimit = 10
    /// Wrong tokens, and refused addresses, that are remembered.
    package static let defaultCapacity = 20_000
    /// Time within which wrong tokens are counted.
    static let window = MediaTime.seconds(60)
    /// Time for which an address is refused.
    static let refusal = MediaTime.seconds(60)

    private let perMinute: Int
    private let capacity: Int
    /// Wrong tokens of each address within `window`.
    private var wrong: [String: Int] = [:]
    /// Every wrong token within `window`, oldest first.
    private var order = Deque<(address: String, at: MediaTime)>()
    /// Refused addresses, each with the end of its refusal.
    private var refused: [String: MediaTime] = [:]
    /// Refusals in the order in which they end.
    private var ends = Deque<(address: String, at: MediaTime)>()

    /// - Parameters:
    ///   - perMinute: wrong tokens of one address after which it is refused; at least 1.
    ///   - capacity: wrong tokens, and refused addresses, that are remembered; drops the oldest.
    package init(perMinute: Int = defaultLimit, capacity: Int = defaultCapacity) {
        self.perMinute = max(perMinute, 1)
        self.capacity = max(capacity, 1)
    }

    /// Number of wrong tokens and refusals that are remembered.
    package var remembered: Int { order.count + ends.count }

    /// Checks whether the address is refused. A refused address cannot use a correct token either, because the
    /// different answer would reveal a correct guess.
    ///
    /// - Parameter address: IPv4 address or IPv6 /64 network.
    /// - Throws: `rateLimited`, with the seconds to wait.
    package mutating func check(_ address: String, now: MediaTime) throws(SignalingError) {
        expire(now)
        guard let end = refused[address] else { return }
        let wait = end - now
        throw SignalingError(
            .rateLimited, "more than \(perMinute) wrong tokens a minute", limit: Self.key,
            retryAfter: max(1, Int((wait.rawValue + 999_999_999) / 1_000_000_000)))
    }

    /// Counts a wrong token of the address. Must not be called for requests without a token, because nothing was
    /// guessed.
    package mutating func recordWrong(_ address: String, now: MediaTime) {
        expire(now)
        guard refused[address] == nil else { return }
        if order.count >= capacity { forgetOldest() }
        order.append((address, now))
        wrong[address, default: 0] += 1
        guard wrong[address, default: 0] >= perMinute else { return }
        if ends.count >= capacity { forgetOldestRefusal() }
        refused[address] = now + Self.refusal
        ends.append((address, now + Self.refusal))
    }

    private mutating func expire(_ now: MediaTime) {
        while let first = order.first, first.at + Self.window <= now { forgetOldest() }
        while let first = ends.first, first.at <= now { forgetOldestRefusal() }
    }

    private mutating func forgetOldest() {
        guard let (address, _) = order.popFirst(), let count = wrong[address] else { return }
        wrong[address] = count > 1 ? count - 1 : nil
    }

    private mutating func forgetOldestRefusal() {
        guard let (address, _) = ends.popFirst() else { return }
        refused[address] = nil
    }
}
