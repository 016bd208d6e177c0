/// Names of sessions and streams: 1 to 150 characters out of letters, digits, symbols and spaces.
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

    /// Why `text` cannot be shown as the name of a user or a group; nil if it can.
    ///
    /// - Parameters:
    ///   - subject: whose name it is, as the answer calls it.
    ///   - characters: maximum number of characters; the minimum is 1.
    ///   - bytes: maximum number of bytes of UTF-8.
    package static func objection(
        toShown text: String, subject: String, characters: Int, bytes: Int
    ) -> String? {
        objection(to: text, subject: subject, characters: characters, bytes: bytes, isAllowed: isShown)
    }

    /// Whether a character may stand in names that are looked up: of sessions, streams, subsessions, and ids of users.
    ///
    /// Excludes control, format, private-use, unassigned and line-separating characters, and all that Unicode calls default-ignorable, such as
    /// Hangul fillers. Bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) are format characters: they reorder
    /// the text beside a name (Unicode TR36, bidirectional text spoofing), and the others make two different names look the same. Letters that
    /// run from right to left need none of them. Variation selectors stay, because emoji have them.
    package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isVariationSelector
        }
    }

    /// Whether a character may stand in names that are only shown. In addition to `isAllowed`: the joiners and tags that emoji and some scripts
    /// need, and what is newer than this program's version of Unicode.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xE0020...0xE007F: true
        default:
            isAllowed(scalar)
                || scalar.properties.generalCategory == .unassigned && !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
