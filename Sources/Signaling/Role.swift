/// Role of a user in a session. There is exactly one host, unless no user may be host.
public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
    case host
    case manager
    case participant
}
