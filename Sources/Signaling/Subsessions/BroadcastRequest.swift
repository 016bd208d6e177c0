/// Tells everybody who is in a subsession; for managers in the main session.
public struct BroadcastRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.broadcast
    /// 1 byte to 8 KiB of UTF-8.
    public var text: String
    public init(text: String) { self.text = text }

    /// What is wrong with it, the same here and at the relay.
    public var objection: SignalingError? { TextRule.objection(to: text) }
}
