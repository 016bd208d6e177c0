import DequeModule
package import MediaBase
package import Signaling

/// Counts wrong passwords by session and client, so that passwords cannot be guessed (SES-4). A client is an address
/// with a token: clients with other tokens behind the same address, such as a company's NAT, are not locked out by one
/// client's guesses. Guesses with many tokens from one address are bounded as well, at a higher number.
package struct PasswordLimiter: Sendable {
    package static let defaultLimit = 5
    package static let key = "limit.wrongPasswords"
    /// Factor from the limit of one token to the limit of one address.
    package static let tokensPerAddress = 20
    static let window = MediaTime.seconds(60)

    private enum Guesser: Hashable {
        /// Nil if the client has no token.
        case client(address: String, token: TokenFingerprint?)
        case address(String)
    }

    private struct Key: Hashable {
        let guesser: Guesser
        let session: SessionKey
    }

    private let perMinute: Int
    private let perAddress: Int
    private let capacity: Int
    /// Times of wrong passwords within the last minute, oldest first.
    private var wrong: [Key: [MediaTime]] = [:]
    /// All wrong passwords, each counted for a client and an address, in order of expiry.
    private var order = Deque<(client: Key, address: Key, at: MediaTime)>()

    /// - Parameters:
    ///   - perMinute: wrong passwords per minute of one token from one address; at least 1.
    ///   - capacity: wrong passwords that are remembered; drops the oldest.
    package init(perMinute: Int = defaultLimit, capacity: Int = 100_000) {
        self.perMinute = max(perMinute, 1)
        let (product, overflows) = self.perMinute.multipliedReportingOverflow(by: Self.tokensPerAddress)
        perAddress = overflows ? .max : product
        self.capacity = max(capacity, 1)
    }

    package var remembered: Int { order.count }

    /// Checks the limits; must be called before a password is compared.
    /// - Throws: `rateLimited`, with the seconds to wait.
    package mutating func check(
        address: String, token: TokenFingerprint?, session: SessionKey, now: MediaTime
    ) throws(SignalingError) {
        expire(now)
        let client = Key(guesser: .client(address: address, token: token), session: session)
        try check(client, perMinute, now)
        try check(Key(guesser: .address(address), session: session), perAddress, now)
    }

    private func check(_ key: Key, _ limit: Int, _ now: MediaTime) throws(SignalingError) {
        guard let times = wrong[key], times.count >= limit else { return }
        let wait = times[times.count - limit] + Self.window - now
        throw SignalingError(
            .rateLimited, "more than \(limit) wrong passwords a minute", limit: Self.key,
            retryAfter: max(1, Int((wait.rawValue + 999_999_999) / 1_000_000_000)))
    }

    /// Counts a wrong password. Must not be called for `passwordNeeded`, because nothing was guessed.
    package mutating func recordWrong(
        address: String, token: TokenFingerprint?, session: SessionKey, now: MediaTime
    ) {
        expire(now)
        if order.count >= capacity { forgetOldest() }
        let client = Key(guesser: .client(address: address, token: token), session: session)
        let all = Key(guesser: .address(address), session: session)
        wrong[client, default: []].append(now)
        wrong[all, default: []].append(now)
        order.append((client, all, now))
    }

    private mutating func expire(_ now: MediaTime) {
        while let first = order.first, first.at + Self.window <= now { forgetOldest() }
    }

    private mutating func forgetOldest() {
        guard let (client, address, _) = order.popFirst() else { return }
        for key in [client, address] {
            wrong[key]?.removeFirst()
            if wrong[key]?.isEmpty == true { wrong[key] = nil }
        }
    }
}
