/// A subsession and who is in it.
public struct SubsessionInfo: Hashable, Sendable, Codable, Identifiable {
    public var id: SubsessionID
    /// 1 to 150 characters, as names of sessions; none twice in a list, whatever its case.
    public var name: String
    /// In order of joining the session.
    public var users: [ConnectionID]

    public init(id: SubsessionID, name: String, users: [ConnectionID] = []) {
        self.id = id
        self.name = name
        self.users = users
    }
}
