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

/// Rule for message ids. Clients choose them, so that a repeated message is recognized.
public enum MessageIDRule {
    /// Number of printable ASCII characters.
    public static let characters = 1...64

    /// Returns an error if `id` is not valid, otherwise nil.
    /// - Parameter field: name of the parameter, for the error.
    public static func objection(to id: String, field: String) -> SignalingError? {
        guard characters.contains(id.utf8.count), id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return SignalingError(
                .invalidField, "an id of a message has 1 to 64 printable ASCII characters", field: field)
        }
        return nil
    }
}
