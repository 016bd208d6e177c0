/// A user in a subsession asks the managers for help.
public struct HelpRequested: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public var user: ConnectionID
    public var userName: String
    public var subsession: SubsessionID
    public var subsessionName: String

    public init(
        request: HelpRequestID, user: ConnectionID, userName: String, subsession: SubsessionID, subsessionName: String
    ) {
        self.request = request
        self.user = user
        self.userName = userName
        self.subsession = subsession
        self.subsessionName = subsessionName
    }
}
