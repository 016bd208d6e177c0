/// Number of one call of `ClusterMedia`, under which its answer returns.
struct MediaCallID: RawRepresentable, Hashable, Codable, Sendable {
    let rawValue: UInt64
}
