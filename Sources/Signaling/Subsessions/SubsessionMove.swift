/// A user who went from one room of the session to another.
public struct SubsessionMove: Hashable, Sendable, Codable {
    public var user: ConnectionID
    /// Nil: the main session.
    public var from: SubsessionID?
    /// Nil: the main session.
    public var to: SubsessionID?
    public init(user: ConnectionID, from: SubsessionID? = nil, to: SubsessionID? = nil) {
        self.user = user
        self.from = from
        self.to = to
    }
}
