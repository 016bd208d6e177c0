/// Moves the sender to a subsession, from the main session or another subsession. Users can only move themselves.
public struct JoinSubsessionRequest: RequestBody {
    public static let method = "joinSubsession"
    public static let permission: Permission = .all
    public var subsession: SubsessionID
    public init(subsession: SubsessionID) { self.subsession = subsession }
}
