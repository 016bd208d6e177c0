/// Who moved within the last 100 ms. Users who join the session are in its main session; those who leave it are nowhere, without this event.
public struct SubsessionUsersChanged: Hashable, Sendable, Codable {
    /// None of the same user twice; one who went and came back is where it was.
    public var changes: [SubsessionMove]
    public init(changes: [SubsessionMove]) { self.changes = changes }
}
