/// Hash of a token's signed text, made by the caller. Identifies a token without storing it.
package struct TokenFingerprint: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
