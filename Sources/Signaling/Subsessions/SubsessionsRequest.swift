/// Asks what subsessions there are and who is in them.
public struct SubsessionsRequest: RequestBody {
    public typealias Answer = SubsessionsState
    public static let method = Method.subsessions
    public init() {}
}
