import MediaBase

/// SRTP key in a description (RFC 4568), with which its sender will encrypt its packets on a transport without DTLS. The key is
/// only as secret as the connection that carries the description.
package struct CryptoAttribute: Sendable, Hashable {
    /// Up to 9 digits; an answer names the chosen offered line by its tag.
    package var tag: UInt32
    /// For example `AEAD_AES_128_GCM`.
    package var suite: String
    /// Master key and salt in base64, optionally followed by a lifetime.
    package var key: String

    /// Maximum number of lines parsed per section.
    package static let maximumCount = 8
    /// Maximum characters of a key, lifetime included.
    private static let maximumKey = 128

    package init(tag: UInt32, suite: String, key: String) {
        self.tag = tag
        self.suite = suite
        self.key = key
    }

    /// Parses the value of `a=crypto`. Nil if it is malformed or requires an unsupported feature: several keys, a key identifier,
    /// or mandatory session parameters (sections 6.1 and 6.3).
    package init?(_ text: some StringProtocol) {
        let fields = text.fields()
        guard fields.count >= 3, fields[0].utf8.count <= 9, let tag = fields[0].decimal(as: UInt32.self),
            fields[1].isToken, fields[2].isToken,
            fields[2].hasPrefix("inline:")
        else { return nil }
        let key = String(fields[2].dropFirst("inline:".count))
        guard !key.isEmpty, key.utf8.count <= Self.maximumKey, !key.contains(";"), !key.contains(":") else {
            return nil
        }
        guard fields.dropFirst(3).allSatisfy({ $0.hasPrefix("-") || $0.hasPrefix("WSH=") }) else { return nil }
        self.init(tag: tag, suite: String(fields[1]), key: key)
    }

    /// Returns whether this line answers `offered` (RFC 4568 section 5.1.2): same tag, same suite and a key of the same length.
    func answers(_ offered: CryptoAttribute) -> Bool {
        tag == offered.tag && suite == offered.suite && digits.count == offered.digits.count
            && digits.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "+" || $0 == "/" }
    }

    /// The key itself, without base64 padding and lifetime.
    private var digits: Substring {
        var digits = key.prefix { $0 != "|" }
        while digits.last == "=" { digits.removeLast() }
        return digits
    }

    var line: SDPLine { SDPLine(attribute: "crypto", value) }

    /// Value of `a=crypto`.
    private var value: String { "\(tag) \(suite) inline:\(key)" }
}

// JSON has the value of the attribute.
extension CryptoAttribute: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.decodeText { CryptoAttribute($0) } }

    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(value) }
}

// Keeps the key out of logs when the value is interpolated into a message.
extension CryptoAttribute: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "crypto \(tag) \(suite)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["tag": tag, "suite": suite]) }
}
