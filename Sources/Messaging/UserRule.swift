internal import Signaling

/// What ids of users and names may be.
enum UserRule {
    /// A character can be any number of combining marks; this bounds what one id can hold.
    static let maximumIDBytes = 140
    static let maximumNameBytes = 800

    static func isID(_ text: String) -> Bool {
        text.utf8.count <= maximumIDBytes && ConversationLimits.userIDCharacters.contains(text.count)
            && isPlain(text)
    }

    static func isName(_ text: String) -> Bool {
        text.utf8.count <= maximumNameBytes && (1...ConversationLimits.nameCharacters).contains(text.count)
            && isPlain(text)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(NameRule.isAllowed)
    }
}
