/// Parameters of a query as HTML forms and `URLSearchParams` write it: application/x-www-form-urlencoded (WHATWG URL Standard, section
/// 5.1).
///
/// `+` is a space, which `Request.uri.queryParameters` does not decode: a user "Ada Lovelace" would be "Ada+Lovelace".
struct FormQuery: Sendable {
    /// Parameters in order; a name can occur more than once. Names without `=` have an empty value.
    private let parameters: [(name: String, value: String)]

    /// - Parameter text: the query without its `?`.
    init(_ text: some StringProtocol) {
        parameters = text.utf8.split(separator: UInt8(ascii: "&")).map { parameter in
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// Returns the value of the first parameter with this name.
    subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Decodes `+` and `%XX`. An incomplete or invalid `%XX` stays unchanged and invalid UTF-8 becomes U+FFFD, as the standard requires.
    private static func decoded(_ text: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap(hexadecimal)
                if digits.count == 2 {
                    bytes.append(digits[0] << 4 | digits[1])
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default:
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
