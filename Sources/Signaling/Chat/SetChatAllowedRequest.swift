/// Switches the session's chat off and on, for everybody; for the host.
public struct SetChatAllowedRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.setChatAllowed
    public var isAllowed: Bool
    public init(isAllowed: Bool) { self.isAllowed = isAllowed }
}
