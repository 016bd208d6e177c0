/// A stored user.
package struct UserRecord: Hashable, Sendable {
    package typealias ID = Int64

    package var id: ID
    package var key: UserKey
    /// Display name; empty if there is none.
    package var name = ""
    /// Tick of the record's creation.
    package var created: Int64
    /// Number of the newest change of the user's conversations. Increases with every change, and is at least the clock
    /// time (milliseconds since 1970), so that a store restored from a backup does not reuse numbers.
    package var tick: Int64
    /// Unread messages of its listed conversations that are not muted.
    package var totalUnread = 0
    /// Number of groups that the user is a member of.
    package var groups = 0
    /// Whether the user has logged in, sent a message or created a group. False if only other users have referred to
    /// it.
    package var hasActed = false

    package init(id: ID, key: UserKey, created: Int64) {
        self.id = id
        self.key = key
        self.created = created
        tick = created
    }

    /// Advances the tick for a change at `now` and returns it.
    package mutating func advance(now: Int64) -> Int64 {
        tick = max(tick + 1, now)
        return tick
    }
}
