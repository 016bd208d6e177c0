/// Withdraws a list that has not started. Only for the host.
public struct WithdrawSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.withdrawSubsessions
    public init() {}
}
