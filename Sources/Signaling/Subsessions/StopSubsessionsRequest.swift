/// Moves all users back to the main session at once. Only for managers.
public struct StopSubsessionsRequest: ParameterlessRequest {
    public static let method = "stopSubsessions"
    public static let permission: Permission = [.host, .manager]
    public init() {}
}
