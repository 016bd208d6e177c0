/// Starts the committed subsessions, so that users can join them. Only for managers.
public struct StartSubsessionsRequest: ParameterlessRequest {
    public static let method = "startSubsessions"
    public static let permission: Permission = [.host, .manager]
    public init() {}
}
