/// What the users of one conversation share.
package struct ThreadRecord: Hashable, Sendable {
    package typealias ID = Int64

    package enum Kind: Hashable, Sendable {
        /// The user with the smaller id first.
        case peers(UserRecord.ID, UserRecord.ID)
        case group(id: String, name: String, owner: UserRecord.ID)
    }

    package var id: ID
    package var kind: Kind
    /// Number of the newest message; 0 before the first.
    package var lastNumber: Int64 = 0
    /// Of the newest message.
    package var lastTime: Int64 = 0
    /// Of the oldest message that is stored; nil where none is.
    package var firstTime: Int64?
    /// Messages up to this number are to be removed; nobody sees them any more. 0: none.
    package var purgeThrough: Int64 = 0
    /// A group without members, for good.
    package var isDismissed = false
    /// When it was dismissed, in milliseconds since 1970; 0: it was not, or it is cleared away but for what its users' clients have to hear.
    package var endedAt: Int64 = 0
    /// Of a group: who made it; 0 where that does not count any more.
    package var creator: UserRecord.ID = 0

    package init(id: ID, kind: Kind) {
        self.id = id
        self.kind = kind
        if case .group(_, _, let owner) = kind { creator = owner }
    }

    /// Of two users, whichever comes first.
    package static func peers(_ a: UserRecord.ID, _ b: UserRecord.ID) -> Kind { .peers(min(a, b), max(a, b)) }

    /// The other of two users; nil for a group.
    package func peer(of user: UserRecord.ID) -> UserRecord.ID? {
        guard case .peers(let a, let b) = kind else { return nil }
        return a == user ? b : a
    }
}
