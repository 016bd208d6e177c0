/// A key in a description (RFC 4568): what its sender will protect its packets with, for a transport that shakes no hands. As good a secret as
/// the connection that carries the description.
package struct CryptoAttribute: Sendable, Hashable {
    /// Up to 9 digits; answers name by it which of the offered ones they take.
    package var tag: UInt32
    /// Such as `AEAD_AES_128_GCM`.
    package var suite: String
    /// Master key and salt in base64, with a lifetime behind it or not.
    package var key: String

    /// Lines of one section that are looked at.
    package static let maximumCount = 8
    /// Characters of a key with all that may follow it.
    private static let maximumKey = 128

    package init(tag: UInt32, suite: String, key: String) {
        self.tag = tag
        self.suite = suite
        self.key = key
    }

    /// The value of `a=crypto`; nil where it is none, or asks for something that is not done here: several keys, a key identifier, session
    /// parameters that may not be passed over (sections 6.1 and 6.3).
    package init?(_ text: some StringProtocol) {
        let fields = text.fields()
        guard fields.count >= 3, fields[0].utf8.count <= 9, let tag = fields[0].decimal(as: UInt32.self),
            fields[1].isToken, fields[2].hasPrefix("inline:")
        else { return nil }
        let key = String(fields[2].dropFirst("inline:".count))
        guard !key.isEmpty, key.utf8.count <= Self.maximumKey, !key.contains(";"), !key.contains(":") else {
            return nil
        }
        guard fields.dropFirst(3).allSatisfy({ $0.hasPrefix("-") || $0.hasPrefix("WSH=") }) else { return nil }
        self.init(tag: tag, suite: String(fields[1]), key: key)
    }

    /// Whether it answers that offered line (RFC 4568 section 5.1.2): under its tag, in its suite, with a key that is as long.
    func answers(_ offered: CryptoAttribute) -> Bool {
        tag == offered.tag && suite == offered.suite && digits.count == offered.digits.count
            && digits.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "+" || $0 == "/" }
    }

    /// What is the key itself: without its padding, and without a lifetime.
    private var digits: Substring {
        var digits = key.prefix { $0 != "|" }
        while digits.last == "=" { digits.removeLast() }
        return digits
    }

    var line: SDPLine { SDPLine(attribute: "crypto", "\(tag) \(suite) inline:\(key)") }
}

// A key must not reach a log by being interpolated into a message.
extension CryptoAttribute: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "crypto \(tag) \(suite)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["tag": tag, "suite": suite]) }
}
