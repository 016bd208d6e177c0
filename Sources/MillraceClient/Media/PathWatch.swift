import MediaBase

/// Watches whether the relay answers the connectivity checks of a peer connection. It never ends one: keys are kept for as long as the
/// relay may have theirs, which says by `mediaReset` when it has let go of them.
struct PathWatch {
    enum Change: Equatable {
        /// Nothing was heard for a while; told again each time that the while has passed.
        case silent
        /// Consent is over (RFC 7675 section 5.1): no media is sent until it is given again.
        case expired
        /// Media may be sent again.
        case restored
    }

    /// Five checks in a row have gone unanswered, which is rare on a path that loses a tenth.
    static let silence = MediaTime.seconds(12)
    static let expiry = MediaTime.seconds(30)

    private(set) var deadline = MediaTime.never
    private(set) var isExpired = false
    private var told: MediaTime?

    /// The relay has not answered for a while.
    /// - Parameter lastConsent: as that of `look`.
    static func isSilent(lastConsent: MediaTime?, now: MediaTime) -> Bool {
        lastConsent.map { now - $0 >= silence } ?? false
    }

    /// - Parameter lastConsent: when a check was answered last; nil before the first time.
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
