/// Enables or disables the session's chat for all users. Only for the host.
public struct SetChatAllowedRequest: RequestBody {
    public static let method = "setChatAllowed"
    public static let permission: Permission = .host
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
