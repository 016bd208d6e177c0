public import Signaling

/// One subsession of a session: what it is called, who is in it, and the way into it.
public struct Subsession: Sendable, Identifiable {
    public let id: SubsessionID
    public let name: String
    private let core: SessionCore

    init(_ info: SubsessionInfo, core: SessionCore) {
        id = info.id
        name = info.name
        self.core = core
    }

    /// Who is in it now, in order of joining the session; nobody once the list was withdrawn.
    public var users: [UserInfo] { core.board.snapshot.model.users(in: id) }

    /// Goes into it, from the main session or from another subsession: from then on one hears and sees those who are in it, and no
    /// others; subscribers to streams of others are `suspended`.
    /// - Throws: `subsessionsState` where subsessions have not started, `unknownSubsession` where the list is another one by now,
    ///   `notConnected` while the session is not connected.
    public func join() async throws(SessionError) { try await core.request(JoinSubsessionRequest(subsession: id)) }
}
