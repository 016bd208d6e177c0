/// Creates a list of subsessions, which replaces one that has not started. Only for the host.
public struct CommitSubsessionsRequest: RequestBody {
    public static let method = "commitSubsessions"
    public static let permission: Permission = .host
    /// 1 to 50 unique names (`limit.subsessions`), 1 to 150 characters each.
    public var names: [String]
    public init(names: [String]) { self.names = names }

    public struct Answer: Hashable, Sendable, Codable {
        /// Subsessions in the order of the names.
        public var subsessions: [SubsessionInfo]
        public init(subsessions: [SubsessionInfo]) { self.subsessions = subsessions }
    }
}
