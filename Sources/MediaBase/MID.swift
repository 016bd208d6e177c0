/// Identification of one media section of an SDP (RFC 8843 section 15), carried in packets by the header extension of the same name: a
/// token of 1 to 16 visible ASCII characters.
package struct MID: Hashable, Sendable, CustomStringConvertible {
    /// Maximum length in the one-byte form of a header extension (RFC 8285 section 4.2).
    package static let maximumLength = 16

    package let rawValue: String

    package init?(_ text: some StringProtocol) {
        guard Self.isToken(text) else { return nil }
        rawValue = String(text)
    }

    /// Parses the bytes of a header extension; nil if they are not a token.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy({ (33...126).contains($0) }) else {
            return nil
        }
        rawValue = String(decoding: bytes, as: UTF8.self)
    }

    private static func isToken(_ text: some StringProtocol) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }

    package var description: String { rawValue }
}

// JSON has the text.
extension MID: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.decodeText { MID($0) } }

    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(rawValue) }
}
