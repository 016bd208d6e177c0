public import Signaling

/// Subsessions (breakout groups) of a session: their state, and the operations on them.
///
/// In addition to the errors documented for each method, every request to the relay can throw `notConnected` while the session is not
/// connected, `notPermitted` if the role of the local user does not allow it, and `limitReached` if `SessionConfiguration.requestLimit`
/// requests are pending.
///
/// ```swift
/// let subsessions = try await session.subsessions.commit(["Red", "Blue"])   // host
/// try await session.subsessions.start()                              // host and managers
/// try await session.subsessions.list[0].join()                       // any user, for itself
/// ```
public struct Subsessions: Sendable {
    /// Maximum number of events buffered for one reader.
    static let eventLimit = 1_024

    private let core: SessionCore

    init(core: SessionCore) { self.core = core }

    private var model: SessionModel { core.board.snapshot.model }

    // MARK: state

    public var status: SubsessionStatus { model.subsessions.status }
    /// Whether subsessions can be joined.
    public var isStarted: Bool { status == .started }
    /// Whether the local user may start and stop subsessions, broadcast, and answer requests for help.
    public var isManager: Bool { model.subsessions.isManager }
    /// The committed subsessions, in order of commitment.
    public var list: [Subsession] { model.subsessions.subsessions.map { Subsession($0, core: core) } }
    /// Subsession of the local user; nil in the main session.
    public var current: Subsession? {
        let model = model
        return model.connection.flatMap { subsession(of: $0, in: model) }
    }

    /// Returns the subsession of a user; nil if it is in the main session.
    public func subsession(of user: ConnectionID) -> Subsession? { subsession(of: user, in: model) }

    private func subsession(of user: ConnectionID, in model: SessionModel) -> Subsession? {
        model.subsessions.subsessions.first { $0.users.contains(user) }.map { Subsession($0, core: core) }
    }

    /// A new reader of subsession events from now on. `Session.events` and delegates deliver the same events, in order with all others.
    public var events: Feed<SubsessionEvent> { core.board.subsessionEvents.feed(limit: Self.eventLimit) }

    // MARK: operations of the host

    /// Commits a list of subsessions, replacing one that has not started.
    /// - Parameter names: at most 50 different names of 1 to 150 characters.
    /// - Throws: `subsessionsState` if subsessions have started; `invalidField` or `limitReached` for the names.
    @discardableResult
    public func commit(_ names: [String]) async throws(SessionError) -> [Subsession] {
        try await core.request(CommitSubsessionsRequest(names: names)).subsessions.map { Subsession($0, core: core) }
    }

    /// Withdraws a list that has not started.
    /// - Throws: `subsessionsState` if there is no list, or if it has started.
    public func withdraw() async throws(SessionError) { try await core.request(WithdrawSubsessionsRequest()) }

    // MARK: operations of the host and managers

    /// Starts the committed subsessions: from then on all users may join them.
    /// - Throws: `subsessionsState` if none is committed, or if they have started.
    public func start() async throws(SessionError) { try await core.request(StartSubsessionsRequest()) }

    /// Stops the subsessions and returns all users to the main session at once.
    /// - Throws: `subsessionsState` if subsessions have not started.
    public func stop() async throws(SessionError) { try await core.request(StopSubsessionsRequest()) }

    /// Sends a text to all users in subsessions; only from the main session.
    /// - Parameter text: 1 byte to 8 KiB of UTF-8.
    /// - Throws: `textTooLong`; `invalidField` for an empty text; `subsessionsState` if subsessions have not started, or if the local user
    ///   is in one.
    public func broadcast(_ text: String) async throws(SessionError) {
        let request = BroadcastRequest(text: text)
        if let objection = request.objection { throw SessionError(objection) }
        try await core.request(request)
    }

    /// Answers `helpRequested`. Accepting moves the local user into the subsession of the user who asked.
    /// - Throws: `unknownHelpRequest` if the request has a result already.
    public func answerHelp(_ request: HelpRequestID, isAccepted: Bool) async throws(SessionError) {
        try await core.request(AnswerHelpRequest(request: request, isAccepted: isAccepted))
    }

    // MARK: operations of all users

    /// Returns the local user from its subsession to the main session.
    /// - Throws: `notInSubsession`.
    public func returnToMainSession() async throws(SessionError) {
        try await core.request(ReturnToMainSessionRequest())
    }

    /// Asks managers to come to the local user's subsession. One `helpResult` follows.
    /// - Throws: `notInSubsession`.
    /// - Returns: id of the request; repeated calls return the same id while the request is open.
    @discardableResult
    public func requestForHelp() async throws(SessionError) -> HelpRequestID {
        try await core.request(RequestHelpRequest()).request
    }
}
