/// Moves the sender from its subsession to the main session.
public struct ReturnToMainSessionRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.returnToMainSession
    public init() {}
}
