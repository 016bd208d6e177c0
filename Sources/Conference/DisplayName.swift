/// The rule of display names (USR-2): cut, never refused.
enum DisplayName {
    static let maximumCharacters = 200
    /// A character can be any number of combining marks; this bounds what one name can hold.
    static let maximumBytes = 4_096
    /// What a user without a name is called.
    static let absent = "null"

    static func normalized(_ text: String) -> String {
        var name = ""
        var bytes = 0
        for character in text.prefix(maximumCharacters) {
            bytes += character.utf8.count
            if bytes > maximumBytes { break }
            name.append(character)
        }
        return name.isEmpty ? absent : name
    }
}
