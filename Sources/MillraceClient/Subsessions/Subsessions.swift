public import Signaling

/// The subsessions (breakout rooms) of a session: what there is, and what one may do with it by one's role.
///
/// What is asked of the relay throws `notConnected` while the session is not connected, `notPermitted` where one's role does not allow it,
/// and `limitReached` where `SessionConfiguration.requestLimit` requests wait already, besides what each names.
///
/// ```swift
/// let rooms = try await session.subsessions.commit(["Red", "Blue"])   // the host
/// try await session.subsessions.start()                              // host and managers
/// try await session.subsessions.list[0].join()                       // everybody, for oneself
/// ```
public struct Subsessions: Sendable {
    /// Events that wait for a reader at most.
    static let eventLimit = 1_024

    private let core: SessionCore

    init(core: SessionCore) { self.core = core }

    private var model: SessionModel { core.board.snapshot.model }

    // MARK: what there is, at any time

    public var status: SubsessionStatus { model.subsessions.status }
    /// They can be joined.
    public var isStarted: Bool { status == .started }
    /// One may start and stop them, broadcast, and answer requests for help.
    public var isManager: Bool { model.subsessions.isManager }
    /// A kit for each, in the order in which they were committed.
    public var list: [Subsession] { model.subsessions.subsessions.map { Subsession($0, core: core) } }
    /// The one that oneself is in; nil in the main session.
    public var current: Subsession? {
        let model = model
        return model.connection.flatMap { subsession(of: $0, in: model) }
    }

    /// The one that a user is in; nil in the main session.
    public func subsession(of user: ConnectionID) -> Subsession? { subsession(of: user, in: model) }

    private func subsession(of user: ConnectionID, in model: SessionModel) -> Subsession? {
        model.subsessions.subsessions.first { $0.users.contains(user) }.map { Subsession($0, core: core) }
    }

    /// A reader of all that happens to them from now on. `Session.events` and delegates tell the same, in order with everything else.
    public var events: Feed<SubsessionEvent> { core.board.subsessionEvents.feed(limit: Self.eventLimit) }

    // MARK: the host

    /// Puts up a list in place of one that has not started.
    /// - Parameter names: at most 50, 1 to 150 characters each, none twice.
    /// - Throws: `subsessionsState` where they have started, `invalidField` or `limitReached` for the names.
    @discardableResult
    public func commit(_ names: [String]) async throws(SessionError) -> [Subsession] {
        try await core.request(CommitSubsessionsRequest(names: names)).subsessions.map { Subsession($0, core: core) }
    }

    /// Takes back a list that has not started.
    /// - Throws: `subsessionsState` where there is none, or it has started.
    public func withdraw() async throws(SessionError) { try await core.request(WithdrawSubsessionsRequest()) }

    // MARK: host and managers

    /// Opens the list: everybody may join from then on.
    /// - Throws: `subsessionsState` where none is committed, or it has started.
    public func start() async throws(SessionError) { try await core.request(StartSubsessionsRequest()) }

    /// Brings everybody back into the main session at once.
    /// - Throws: `subsessionsState` where they have not started.
    public func stop() async throws(SessionError) { try await core.request(StopSubsessionsRequest()) }

    /// Tells everybody who is in a subsession; from the main session.
    /// - Parameter text: 1 byte to 8 KiB of UTF-8.
    /// - Throws: `textTooLong`, or `invalidField` for an empty one; `subsessionsState` where they have not started, or from within one.
    public func broadcast(_ text: String) async throws(SessionError) {
        let request = BroadcastRequest(text: text)
        if let objection = request.objection { throw SessionError(objection) }
        try await core.request(request)
    }

    /// Answers `helpRequested`. Accepting moves oneself to who asked.
    /// - Throws: `unknownHelpRequest` where it has its result already.
    public func answerHelp(_ request: HelpRequestID, isAccepted: Bool) async throws(SessionError) {
        try await core.request(AnswerHelpRequest(request: request, isAccepted: isAccepted))
    }

    // MARK: everybody

    /// Leaves the subsession that one is in.
    /// - Throws: `notInSubsession`.
    public func returnToMainSession() async throws(SessionError) {
        try await core.request(ReturnToMainSessionRequest())
    }

    /// Asks the managers into the subsession that one is in. `helpResult` follows, once.
    /// - Throws: `notInSubsession`.
    /// - Returns: the request's id; the same again while it is open.
    @discardableResult
    public func requestForHelp() async throws(SessionError) -> HelpRequestID {
        try await core.request(RequestHelpRequest()).request
    }
}
