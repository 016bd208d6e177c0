/// What ids of messages may be, which clients make so that a message that is sent again is the same one.
public enum MessageIDRule {
    /// Of printable ASCII.
    public static let characters = 1...64

    /// Why `id` cannot be one; nil where it can.
    /// - Parameter field: the parameter that has it.
    public static func objection(to id: String, field: String) -> SignalingError? {
        guard characters.contains(id.utf8.count), id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return SignalingError(
                .invalidField, "an id of a message has 1 to 64 printable ASCII characters", field: field)
        }
        return nil
    }
}
