/// Withdraws a list that has not started. Only for the host.
public struct WithdrawSubsessionsRequest: ParameterlessRequest {
    public static let method = "withdrawSubsessions"
    public static let permission: Permission = .host
    public init() {}
}
