/// Party that resources are counted for.
package struct ResourceOwner: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case user
        case token
        case address
    }

    package let kind: Kind
    /// Unique within the kind.
    package let name: String
}
