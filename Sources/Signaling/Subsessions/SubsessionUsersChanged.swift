/// Moves of users within the last 100 ms. Not sent for joining a session, which starts in the main session, nor for
/// leaving it.
public struct SubsessionUsersChanged: Hashable, Sendable, Codable {
    /// At most one move for each user. `from` and `to` are equal if the user returned.
    public var changes: [SubsessionMove]
    public init(changes: [SubsessionMove]) { self.changes = changes }
}
