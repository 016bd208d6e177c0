internal import Foundation

/// Name of a session (SES-2): 1 to 150 characters out of letters, digits, symbols and spaces, held in lower case.
package struct SessionName: Hashable, Sendable, CustomStringConvertible {
    package static let maximumCharacters = 150
    /// A character can be any number of combining marks; this bounds what one name can hold.
    static let maximumBytes = 600

    package let rawValue: String
    package var description: String { rawValue }

    /// - Parameter text: the name as people write it.
    package init(_ text: String) throws(Problem) {
        if let reason = Self.objection(to: text) { throw Problem(.invalidSessionName, reason) }
        rawValue = text.lowercased()
    }

    /// - Parameter percentEncoded: one path component (RFC 3986 section 2.1).
    package init(percentEncoded: String) throws(Problem) {
        guard let text = percentEncoded.removingPercentEncoding else {
            throw Problem(.invalidSessionName, "the name is not percent-encoded UTF-8")
        }
        try self.init(text)
    }

    /// As one path component (RFC 3986 section 3.3).
    var percentEncoded: String { StreamName.percentEncoded(rawValue) }

    /// Why `text` cannot be a name; nil where it can. Streams are named by the same rule, but keep their case.
    static func objection(to text: String) -> String? {
        if text.isEmpty { return "the name is empty" }
        if text.count > maximumCharacters {
            return "the name has \(text.count) characters, at most \(maximumCharacters) are allowed"
        }
        if text.utf8.count > maximumBytes {
            return "the name has \(text.utf8.count) bytes, at most \(maximumBytes) are allowed"
        }
        for scalar in text.unicodeScalars where !isAllowed(scalar) {
            return
                "the name has the character U+\(String(scalar.value, radix: 16, uppercase: true)); letters, digits, symbols and spaces are allowed"
        }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
