/// Name of one encoding of a track (RFC 8851 section 4; as a header extension RFC 8852 section 3.1): 1 to 16 letters, digits, hyphens or
/// underscores.
package struct RID: Hashable, Sendable, CustomStringConvertible {
    /// Maximum length in the one-byte form of a header extension (RFC 8285 section 4.2).
    package static let maximumLength = 16

    package let rawValue: String

    package init?(_ text: some StringProtocol) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        rawValue = String(text)
    }

    /// Parses the bytes of a header extension; nil if they are not a RID.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    package var description: String { rawValue }
}

// JSON has the text.
extension RID: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.decodeText { RID($0) } }

    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(rawValue) }
}
