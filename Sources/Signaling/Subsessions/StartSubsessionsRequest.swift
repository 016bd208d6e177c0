/// Starts the committed subsessions, so that users can join them. Only for managers.
public struct StartSubsessionsRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.startSubsessions
    public init() {}
}
