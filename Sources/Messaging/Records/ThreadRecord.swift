/// State of a conversation that its users share.
package struct ThreadRecord: Hashable, Sendable {
    package typealias ID = Int64

    package enum Kind: Hashable, Sendable {
        /// A one-to-one conversation. The smaller user id is first.
        case peers(UserRecord.ID, UserRecord.ID)
        case group(id: String, name: String, owner: UserRecord.ID)
    }

    package var id: ID
    package var kind: Kind
    /// Number of the newest message; 0 before the first.
    package var lastNumber: Int64 = 0
    /// Time of the newest message, in milliseconds since 1970.
    package var lastTime: Int64 = 0
    /// Time of the oldest stored message; nil if there is none.
    package var firstTime: Int64?
    /// Number of the last message that is no longer visible to any user and will be removed; 0 if there is none.
    package var purgeThrough: Int64 = 0
    /// The group was dismissed and will never have members again.
    package var isDismissed = false
    /// Time of the dismissal in milliseconds since 1970. 0 if the group is not dismissed, or is cleared away and only
    /// kept so that clients can learn of its end.
    package var endedAt: Int64 = 0
    /// User whose limit a group counts for; 0 if it no longer counts.
    package var creator: UserRecord.ID = 0

    package init(id: ID, kind: Kind) {
        self.id = id
        self.kind = kind
        if case .group(_, _, let owner) = kind { creator = owner }
    }

    /// Returns the kind for two users in any order.
    package static func peers(_ a: UserRecord.ID, _ b: UserRecord.ID) -> Kind { .peers(min(a, b), max(a, b)) }

    /// Returns the other user of a one-to-one conversation; nil for a group.
    package func peer(of user: UserRecord.ID) -> UserRecord.ID? {
        guard case .peers(let a, let b) = kind else { return nil }
        return a == user ? b : a
    }
}
