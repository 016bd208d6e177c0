import MediaBase

/// Monitors the relay's answers to the connectivity checks of a peer connection. It never ends the peer connection: the client keeps
/// its keys as long as the relay may have its own. The relay sends `mediaReset` when it has discarded them.
struct PathWatch {
    enum Change: Equatable {
        /// No answer for `silence`; repeated each time this interval has passed again.
        case silent
        /// Consent has expired (RFC 7675 section 5.1): no media may be sent until it is renewed.
        case expired
        /// Consent has been renewed; media may be sent again.
        case restored
    }

    /// Time in which five checks in a row remain unanswered, which is rare at 10 % packet loss.
    static let silence = MediaTime.seconds(12)
    static let expiry = MediaTime.seconds(30)

    private(set) var deadline = MediaTime.never
    private(set) var isExpired = false
    private var told: MediaTime?

    /// Returns whether the relay has not answered for `silence`.
    /// - Parameter lastConsent: same as in `look`.
    static func isSilent(lastConsent: MediaTime?, now: MediaTime) -> Bool {
        lastConsent.map { now - $0 >= silence } ?? false
    }

    /// Updates the state and returns its changes.
    /// - Parameter lastConsent: time of the last answered check; nil before the first answer.
    mutating func look(lastConsent: MediaTime?, now: MediaTime) -> [Change] {
        guard let lastConsent else { return [] }
        let quiet = now - lastConsent
        guard quiet >= Self.silence else {
            deadline = lastConsent + Self.silence
            told = nil
            defer { isExpired = false }
            return isExpired ? [.restored] : []
        }
        var changes: [Change] = []
        if quiet >= Self.expiry, !isExpired {
            isExpired = true
            changes.append(.expired)
        }
        if told.map({ now - $0 >= Self.silence }) ?? true {
            told = now
            changes.append(.silent)
        }
        deadline = (told ?? now) + Self.silence
        if !isExpired { deadline = min(deadline, lastConsent + Self.expiry) }
        return changes
    }
}
