public import Signaling

/// A subsession: its name, its users, and the method to join it.
public struct Subsession: Sendable, Identifiable {
    public let id: SubsessionID
    public let name: String
    private let core: SessionCore

    init(_ info: SubsessionInfo, core: SessionCore) {
        id = info.id
        name = info.name
        self.core = core
    }

    /// Users in the subsession, in order of joining the session; empty once the list was withdrawn.
    public var users: [UserInfo] { core.board.snapshot.model.users(in: id) }

    /// Moves the local user into this subsession, from the main session or from another subsession. From then on the local user
    /// receives only streams of users in the same subsession; subscribers to streams of other users become `suspended`.
    /// - Throws: `subsessionsState` if subsessions have not started; `unknownSubsession` if the list has been replaced;
    ///   `notConnected` while the session is not connected.
    public func join() async throws(SessionError) { try await core.request(JoinSubsessionRequest(subsession: id)) }
}
