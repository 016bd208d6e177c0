/// Strong entity-tag of an HTTP resource (RFC 9110 section 8.8.3). Of a WHIP resource it identifies the ICE session (RFC 9725 section 4.3.1).
package struct EntityTag: Sendable, Hashable {
    /// Maximum length in bytes, quotation marks included. The tag goes into each request.
    package static let longest = 256

    /// Value of the header field, with its quotation marks.
    package let text: String

    /// Nil if the value is no strong tag of printable ASCII characters: a weak tag never matches in `If-Match`.
    package init?(_ field: String) {
        let bytes = Array(field.utf8)
        guard (2...Self.longest).contains(bytes.count), bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\""),
            bytes[1..<(bytes.count - 1)].allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
        else { return nil }
        text = field
    }
}
