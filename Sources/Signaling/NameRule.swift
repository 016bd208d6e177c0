/// What names of sessions and streams may be (SES-2): 1 to 150 characters out of letters, digits, symbols and spaces.
public enum NameRule {
    public static let maximumCharacters = 150
    /// A character can be any number of combining marks; this bounds what one name can hold.
    public static let maximumBytes = 600

    /// Why `text` cannot be a name; nil where it can.
    public static func objection(to text: String) -> String? {
        if text.isEmpty { return "the name is empty" }
        if text.count > maximumCharacters {
            return "the name has \(text.count) characters, at most \(maximumCharacters) are allowed"
        }
        if text.utf8.count > maximumBytes {
            return "the name has \(text.utf8.count) bytes, at most \(maximumBytes) are allowed"
        }
        for scalar in text.unicodeScalars where !isAllowed(scalar) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            return "the name has the character U+\(code); letters, digits, symbols and spaces are allowed"
        }
        return nil
    }

    /// No control and no format characters, nothing that is private or unassigned, and no separators of lines: they hide, or turn around what
    /// stands beside them.
    package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
