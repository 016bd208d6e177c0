/// Enables or disables the session's chat for all users. Only for the host.
public struct SetChatAllowedRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.setChatAllowed
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
