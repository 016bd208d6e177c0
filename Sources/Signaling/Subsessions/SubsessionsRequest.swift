/// Reads the list of subsessions with their users.
public struct SubsessionsRequest: ParameterlessRequest {
    public typealias Answer = SubsessionsState
    public static let method = "subsessions"
    public static let permission: Permission = .all
    public init() {}
}
