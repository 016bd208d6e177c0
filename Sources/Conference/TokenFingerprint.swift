/// Names a token without holding it: a hash of its signed text, made outside.
package struct TokenFingerprint: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
