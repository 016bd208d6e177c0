import Signaling

/// What ids of users and names may be: `NameRule` with bounds of their own.
enum UserRule {
    /// A character can be any number of combining marks; this bounds what one id can hold.
    static let maximumIDBytes = 140
    static let maximumNameBytes = 800

    /// Why `text` cannot be a user's id; nil where it can.
    static func objection(toID text: String) -> String? {
        NameRule.objection(
            to: text, subject: "a user's id", characters: ConversationLimits.userIDCharacters.upperBound,
            bytes: maximumIDBytes, isAllowed: NameRule.isAllowed)
    }

    /// Why `text` cannot be a name; nil where it can.
    ///
    /// - Parameter subject: whose, as the answer calls it.
    static func objection(toName text: String, subject: String) -> String? {
        NameRule.objection(
            toShown: text, subject: subject, characters: ConversationLimits.nameCharacters, bytes: maximumNameBytes)
    }
}
