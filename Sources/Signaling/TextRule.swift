/// Rule for texts between users: chat, broadcasts, messages.
public enum TextRule {
    /// Bytes of UTF-8.
    public static let maximumBytes = 8 * 1_024

    /// Returns an error if `text` cannot be sent, otherwise nil.
    public static func objection(to text: String) -> SignalingError? {
        if text.isEmpty { return SignalingError(.invalidField, "the text is empty", field: "text") }
        guard text.utf8.count <= maximumBytes else {
            return SignalingError(
                .textTooLong, "the text has \(text.utf8.count) bytes, at most \(maximumBytes) are allowed",
                field: "text")
        }
        return nil
    }
}
