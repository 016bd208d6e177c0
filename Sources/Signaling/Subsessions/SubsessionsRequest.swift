/// Reads the list of subsessions with their users.
public struct SubsessionsRequest: RequestBody {
    public typealias Answer = SubsessionsState
    public static let method = Method.subsessions
    public init() {}
}
