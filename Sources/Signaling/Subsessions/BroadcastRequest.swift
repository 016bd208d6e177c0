/// Sends a text to all users in subsessions. Only for managers in the main session.
public struct BroadcastRequest: RequestBody {
    public static let method = "broadcast"
    public static let permission: Permission = [.host, .manager]
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    public init(text: String) { self.text = text }

    /// Validation error, or nil if the request is valid. The relay uses the same check.
    public var objection: SignalingError? { TextRule.objection(to: text) }
}
