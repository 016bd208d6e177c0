internal import Signaling

/// What ids of users and names may be.
enum UserRule {
    /// A character can be any number of combining marks; this bounds what one id can hold.
    static let maximumIDBytes = 140
    static let maximumNameBytes = 800

    static func isID(_ text: String) -> Bool {
        text.utf8.count <= maximumIDBytes && ConversationLimits.userIDCharacters.contains(text.count)
            && text.unicodeScalars.allSatisfy(NameRule.isAllowed)
    }

    static func isName(_ text: String) -> Bool {
        text.utf8.count <= maximumNameBytes && (1...ConversationLimits.nameCharacters).contains(text.count)
            && text.unicodeScalars.allSatisfy(isShown)
    }

    /// Names are shown, not looked up: what joins emoji and letters may stand in them, and what came to Unicode since.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xE0020...0xE007F: true
        default: NameRule.isAllowed(scalar) || scalar.properties.generalCategory == .unassigned
        }
    }
}
