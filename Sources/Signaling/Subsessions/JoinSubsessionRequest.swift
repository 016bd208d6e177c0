/// Goes into a subsession, from the main session or from another one. Nobody moves others.
public struct JoinSubsessionRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.joinSubsession
    public var subsession: SubsessionID
    public init(subsession: SubsessionID) { self.subsession = subsession }
}
