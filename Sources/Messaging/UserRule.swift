import Signaling

/// Rules for user ids and display names: `NameRule` with other bounds.
enum UserRule {
    /// A character can be any number of combining marks; this bounds the size of one id.
    static let maximumIDBytes = 140
    static let maximumNameBytes = 800

    /// Returns the reason that `text` is not a valid user id, or nil if it is valid.
    static func objection(toID text: String) -> String? {
        NameRule.objection(
            to: text, subject: "a user's id", characters: ConversationLimits.userIDCharacters.upperBound,
            bytes: maximumIDBytes, isAllowed: NameRule.isAllowed)
    }

    /// Returns the reason that `text` is not a valid name, or nil if it is valid.
    ///
    /// - Parameter subject: name of the checked value, for the text of the reason.
    static func objection(toName text: String, subject: String) -> String? {
        NameRule.objection(
            toShown: text, subject: subject, characters: ConversationLimits.nameCharacters, bytes: maximumNameBytes)
    }
}
