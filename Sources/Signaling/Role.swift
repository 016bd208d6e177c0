/// What a user is in a session. There is exactly one host while somebody is there who may be it.
public enum Role: String, Hashable, Sendable, Codable, CaseIterable {
    case host
    case manager
    case participant
}
