/// Brings everybody back into the main session at once; for managers.
public struct StopSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.stopSubsessions
    public init() {}
}
