/// Puts up a list of subsessions in place of one that has not started; for the host.
public struct CommitSubsessionsRequest: RequestBody {
    public static let method = Method.commitSubsessions
    /// 1 to 50 (`limit.subsessions`), 1 to 150 characters each, none twice.
    public var names: [String]
    public init(names: [String]) { self.names = names }

    public struct Answer: Hashable, Sendable, Codable {
        /// In the order of the names.
        public var subsessions: [SubsessionInfo]
        public init(subsessions: [SubsessionInfo]) { self.subsessions = subsessions }
    }
}
