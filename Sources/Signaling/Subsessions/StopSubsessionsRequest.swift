/// Brings everybody back into the main session at once (SUB-3); for managers.
public struct StopSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.stopSubsessions
    public init() {}
}
