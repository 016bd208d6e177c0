/// A user's move between subsessions or the main session.
public struct SubsessionMove: Hashable, Sendable, Codable {
    public var user: ConnectionID
    /// Subsession before the move; nil for the main session.
    public var from: SubsessionID?
    /// Subsession after the move; nil for the main session.
    public var to: SubsessionID?
    public init(user: ConnectionID, from: SubsessionID? = nil, to: SubsessionID? = nil) {
        self.user = user
        self.from = from
        self.to = to
    }
}
