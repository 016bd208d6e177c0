/// Joins and leaves of a short time in one event, and changes between listed and counted users. One user that joins or leaves alone in a
/// session that lists all users is told of by `userJoined` or `userLeft` instead.
public struct UsersChanged: Hashable, Sendable, Codable {
    /// Users that are listed from now on, with their present state: they joined, or got a stream or a role while they were counted. A client
    /// may know some of them already, and may be one of them itself.
    public var joined: [UserInfo]
    /// A client may not know some of them.
    public var left: [UserLeft]
    /// Users that are still there and are only counted from now on. A client that is one of them keeps itself.
    public var unlisted: [ConnectionID]
    /// All users of the session, listed or not, after this event.
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
