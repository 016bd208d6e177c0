/// Moves the sender from its subsession to the main session.
public struct ReturnToMainSessionRequest: ParameterlessRequest {
    public static let method = "returnToMainSession"
    public static let permission: Permission = .all
    public init() {}
}
