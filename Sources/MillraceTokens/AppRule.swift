/// Limits of an app's key and secret.
package enum AppRule {
    /// Length of a secret in bytes. An HS256 key must be at least as long as the hash (RFC 7518 section 3.2).
    package static let secretBytes = 32...512

    /// Returns whether the text is 1 to 64 letters, digits, dots, hyphens and underscores.
    package static func isKey(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
