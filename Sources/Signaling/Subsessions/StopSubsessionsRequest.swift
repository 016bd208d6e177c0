/// Moves all users back to the main session at once. Only for managers.
public struct StopSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.stopSubsessions
    public init() {}
}
