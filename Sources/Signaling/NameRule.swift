/// Rule for names of sessions and streams: 1 to 150 letters, digits, symbols and spaces.
public enum NameRule {
    public static let maximumCharacters = 150
    /// A character can be any number of combining marks; this bounds the size of one name.
    public static let maximumBytes = 600

    /// Returns the reason that `text` is not a valid name, or nil if it is valid.
    public static func objection(to text: String) -> String? {
        objection(
            to: text, subject: "the name", characters: maximumCharacters, bytes: maximumBytes, isAllowed: isAllowed)
    }

    /// Returns the reason that `text` is not valid by other bounds, or nil if it is valid.
    ///
    /// - Parameters:
    ///   - subject: name of the checked value, for the text of the reason.
    ///   - characters: maximum number of characters; the minimum is 1.
    ///   - bytes: maximum number of bytes of UTF-8.
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

    /// Returns the reason that `text` is not a valid display name of a user or a group, or nil if it is valid.
    ///
    /// - Parameters:
    ///   - subject: name of the checked value, for the text of the reason.
    ///   - characters: maximum number of characters; the minimum is 1.
    ///   - bytes: maximum number of bytes of UTF-8.
    package static func objection(
        toShown text: String, subject: String, characters: Int, bytes: Int
    ) -> String? {
        objection(to: text, subject: subject, characters: characters, bytes: bytes, isAllowed: isShown)
    }

    /// Returns whether a character is allowed in names that are looked up: names of sessions, streams and subsessions,
    /// and user ids.
    ///
    /// Excludes control, format, private-use, unassigned and line-separating characters, and all that Unicode calls
    /// default-ignorable, such as Hangul fillers. Bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E,
    /// U+2066 to U+2069) are format characters: they reorder the text beside a name (Unicode TR36, bidirectional text
    /// spoofing), and the others make two different names look the same. Right-to-left letters need none of them.
    /// Variation selectors are allowed, because emoji need them.
    package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isVariationSelector
        }
    }

    /// Returns whether a character is allowed in display names. In addition to `isAllowed`: joiners and tags that emoji
    /// and some scripts need, and characters newer than this program's version of Unicode.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xE0020...0xE007F: true
        default:
            isAllowed(scalar)
                || scalar.properties.generalCategory == .unassigned && !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
