import Signaling

/// The rule of display names (USR-2): a long name is cut; a name with characters that `NameRule` does not allow is refused.
enum DisplayName {
    static let maximumCharacters = 200
    /// A character can be any number of combining marks; this bounds the size of one name.
    static let maximumBytes = 4_096
    /// Name of a user without one.
    static let absent = "null"

    /// Cuts `text` to the bounds; returns `absent` if it is empty.
    ///
    /// - Throws: `invalidField` for control and bidirectional characters and others that are not shown.
    static func normalized(_ text: String) throws(SignalingError) -> String {
        var name = ""
        var bytes = 0
        for character in text.prefix(maximumCharacters) {
            bytes += character.utf8.count
            if bytes > maximumBytes { break }
            name.append(character)
        }
        if name.isEmpty { return absent }
        if let reason = NameRule.objection(
            toShown: name, subject: "the display name", characters: maximumCharacters, bytes: maximumBytes)
        {
            throw SignalingError(.invalidField, reason, field: "name")
        }
        return name
    }
}
