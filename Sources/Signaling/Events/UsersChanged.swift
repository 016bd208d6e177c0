/// Joins and leaves of a short period, and changes between listed and unlisted users. A single join or leave in a
/// session that lists all users is sent as `userJoined` or `userLeft`.
public struct UsersChanged: Hashable, Sendable, Codable {
    /// Newly listed users with their current state: they joined, or got a stream or a role while unlisted. A client may
    /// already know some of them, and may be one of them.
    public var joined: [UserInfo]
    /// Users that left. A client may not know some of them.
    public var left: [UserLeft]
    /// Users that are still in the session but no longer listed. A client that is among them keeps its own entry.
    public var unlisted: [ConnectionID]
    /// Number of all users of the session after this event, listed or not.
    public var count: Int

    public init(
        joined: [UserInfo] = [], left: [UserLeft] = [], unlisted: [ConnectionID] = [], count: Int
    ) {
        self.joined = joined
        self.left = left
        self.unlisted = unlisted
        self.count = count
    }
}
