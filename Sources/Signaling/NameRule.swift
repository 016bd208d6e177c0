/// What names of sessions and streams may be (SES-2): 1 to 150 characters out of letters, digits, symbols and spaces.
public enum NameRule {
    public static let maximumCharacters = 150
    /// A character can be any number of combining marks; this bounds what one name can hold.
    public static let maximumBytes = 600

    /// Why `text` cannot be a name; nil where it can.
    public static func objection(to text: String) -> String? {
        objection(
            to: text, subject: "the name", characters: maximumCharacters, bytes: maximumBytes, isAllowed: isAllowed)
    }

    /// The same for names and ids with bounds of their own.
    ///
    /// - Parameters:
    ///   - subject: what it is, as the answer calls it.
    ///   - characters: at most so many, and one at least.
    ///   - bytes: of UTF-8, at most.
    package static func objection(
        to text: String, subject: String, characters: Int, bytes: Int, isAllowed: (Unicode.Scalar) -> Bool
    ) -> String? {
        if text.isEmpty { return "\(subject) is empty" }
        if text.count > characters {
            return "\(subject) has \(text.count) characters, at most \(characters) are allowed"
        }
        if text.utf8.count > bytes {
            return "\(subject) has \(text.utf8.count) bytes, at most \(bytes) are allowed"
        }
        for scalar in text.unicodeScalars where !isAllowed(scalar) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            return "\(subject) has the character U+\(code); letters, digits, symbols and spaces are allowed"
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
