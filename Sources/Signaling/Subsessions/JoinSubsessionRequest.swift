/// Moves the sender to a subsession, from the main session or another subsession. Users can only move themselves.
public struct JoinSubsessionRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.joinSubsession
    public var subsession: SubsessionID
    public init(subsession: SubsessionID) { self.subsession = subsession }
}
