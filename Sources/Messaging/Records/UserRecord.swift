/// A user as it is stored.
package struct UserRecord: Hashable, Sendable {
    package typealias ID = Int64

    package var id: ID
    package var key: UserKey
    /// Display name; empty where it gave none.
    package var name = ""
    /// The tick that it began with.
    package var created: Int64
    /// The newest change of its conversations. It goes up with every change, and not behind the clock (milliseconds since 1970): so a
    /// store that was put back to an older state does not hand out the same ticks again.
    package var tick: Int64
    /// Unread messages of its listed conversations that are not muted.
    package var totalUnread = 0
    /// Groups that it is a member of.
    package var groups = 0
    /// It logged in, wrote or made a group; false for one that is only named by others.
    package var hasActed = false

    package init(id: ID, key: UserKey, created: Int64) {
        self.id = id
        self.key = key
        self.created = created
        tick = created
    }

    /// The next change, at `now`.
    package mutating func advance(now: Int64) -> Int64 {
        tick = max(tick + 1, now)
        return tick
    }
}
