/// Lets users join the committed subsessions; for managers.
public struct StartSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.startSubsessions
    public init() {}
}
