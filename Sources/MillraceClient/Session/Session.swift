public import Signaling

/// A client in a session. It connects, publishes, subscribes, signals and moderates, and reconnects automatically after a connection loss.
///
/// The properties (`status`, `users`, `streams`, ...) can be read at any time and from any task; they already contain a change when its
/// event is delivered. Events are delivered as an `AsyncSequence` (`events`) to any number of readers, and to delegates on executors of
/// their choice.
///
/// ```swift
/// let session = Session(url: "https://relay.example", token: token)
/// try await session.connect(name: "Ada")
/// for await event in session.events { … }
/// ```
///
/// Every method that sends a request to the relay can throw `notConnected` (the session is not connected, or the connection was lost before
/// the answer), `notPermitted` (role or token do not allow it), `rateLimited`, and `limitReached` (`SessionConfiguration.requestLimit`
/// requests are pending, or a limit of the relay applies). Each method documents only its additional errors.
public final class Session: Sendable {
    let board = SessionBoard()
    let core: SessionCore
    private let configuration: SessionConfiguration

    /// - Parameters:
    ///   - url: URL of the relay: `https://`, `http://`, `wss://` or `ws://`.
    ///   - token: token of the user.
    public init(url: String, token: String, configuration: SessionConfiguration = SessionConfiguration()) {
        self.configuration = configuration
        core = SessionCore(url: url, token: token, configuration: configuration, board: board)
    }

    deinit { core.abandon() }

    // MARK: state

    /// Current state of the connection.
    public var status: SessionStatus { board.snapshot.status }
    /// Id of the local connection; nil while not connected.
    public var connection: ConnectionID? { board.snapshot.model.connection }
    /// Id of the session; nil while not connected.
    public var sessionID: SessionID? { board.snapshot.model.session }
    /// Name of the session in lower case; nil while not connected.
    public var sessionName: String? { board.snapshot.model.sessionName }
    /// Capabilities granted by the token; nil before the session was joined.
    public var capabilities: Capabilities? { board.snapshot.model.capabilities }
    /// All streams of the session, including the local user's.
    public var streams: [StreamID: StreamInfo] { board.snapshot.model.streams }
    /// Streams that the relay is recording. While the set is not empty, applications should show users that they are recorded.
    public var recordedStreams: Set<StreamID> { board.snapshot.model.recordedStreams }
    /// The local user; nil while not connected.
    public var localUser: UserInfo? { board.snapshot.model.localUser }
    /// All other listed users, in order of joining.
    public var remoteUsers: [UserInfo] {
        let model = board.snapshot.model
        return model.users.filter { $0.id != model.connection }
    }
    /// Number of users in the session, including the local user. In a large session it exceeds the number of listed users: the relay then
    /// lists only users with a stream or a role, and counts the others.
    public var userCount: Int { board.snapshot.model.userCount }
    /// Connection of the host; nil while not connected, or if no user who may be host is present.
    public var host: ConnectionID? { board.snapshot.model.host }
    /// Whether new streams start with muted audio.
    public var isMuteForced: Bool { board.snapshot.model.isMuteForced }
    /// Whether only the host and managers may publish a screen.
    public var isShareLocked: Bool { board.snapshot.model.isShareLocked }
    /// Stream of the active speaker in the same location (the main session or a subsession) as the local user; nil if no user is speaking.
    public var activeSpeaker: StreamID? { board.snapshot.model.activeSpeaker }
    /// Subsessions (breakout groups) of the session.
    public var subsessions: Subsessions { Subsessions(core: core) }
    /// Chat of the session.
    public var chat: SessionChat { SessionChat(core: core) }
    /// Publishers that have not ended, in order of publication.
    public var publishers: [Publisher] { board.snapshot.publishers }
    /// Subscribers that have not ended, by stream.
    public var subscribers: [StreamID: Subscriber] { board.snapshot.subscribers }

    // MARK: events

    /// A new reader of all events from now on. A reader that falls behind by more than `SessionConfiguration.eventLimit` events loses the
    /// oldest ones; `dropped` counts them.
    public var events: Feed<SessionEvent> { board.events.feed(limit: configuration.eventLimit) }

    /// Changes of `status` only, beginning with its present value.
    public var statusChanges: AsyncStream<SessionStatus> {
        let events = events
        let present = status
        return AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            continuation.yield(present)
            let task = Task {
                for await event in events {
                    if case .statusChanged(let status) = event { continuation.yield(status) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Adds a delegate, which is held weakly and receives all events from now on. At most 16 delegates are supported; further ones receive
    /// no events.
    /// - Parameter executor: executor on which the delegate's methods run.
    public func add(_ delegate: some SessionDelegate, on executor: DelegateExecutor) {
        let (listener, session) = (WeakBox(delegate), WeakBox(self))
        board.add(
            DelegateSeat(on: executor, limit: configuration.eventLimit, isThere: { listener.object != nil }) { event in
                guard let listener = listener.object, let session = session.object else { return }
                listener.session(session, didReceive: event)
            })
    }

    /// Removes all delegates.
    public func removeDelegates() { board.removeDelegates() }

    // MARK: connection

    /// Joins the session.
    ///
    /// After `passwordNeeded` or `passwordWrong` the session stays `connecting`: call this method again with another password, or
    /// `disconnect()` to cancel.
    /// - Parameters:
    ///   - name: display name without control and bidirectional characters; an empty name becomes `null`.
    ///   - password: at most 10 printable ASCII characters; the first client that joins sets it.
    ///   - options: initial audio and video settings; they apply until the client leaves the session.
    /// - Throws: `passwordNeeded`, `passwordWrong`, `passwordInvalid` or `rateLimited`, after which it can be called again; the relay's
    ///   reason for refusing the token, such as `tokenExpired` or `tokenTopicMismatch`; `connectFailed` if the relay cannot be reached;
    ///   `alreadyJoined` if the session is connected or connecting; `invalidSessionName` if neither the token nor the configuration names a
    ///   session; `invalidField` for a size out of range, an invalid URL or an unreadable certificate file; `messageTooLarge`;
    ///   `notConnected` if the join was cancelled or the session was left while joining.
    public func connect(
        name: String, password: String? = nil, options: JoinOptions = JoinOptions()
    ) async throws(SessionError) {
        try await core.connect(name: name, password: password, options: options)
    }

    /// Leaves the session. All publishers and subscribers end. Does nothing if there is no connection.
    public func disconnect() async { try? await core.leave(endForAll: false) }

    /// Leaves the session, or ends it for all users.
    /// - Throws: `notPermitted` if `endForAll` is true and the local user is not the host; the connection then stays. `notConnected` if
    ///   there is no connection.
    public func leave(endForAll: Bool = false) async throws(SessionError) {
        try await core.leave(endForAll: endForAll)
    }

    /// Tells the session that the machine's network has changed: media opens new sockets and repeats the ICE connectivity checks, without
    /// joining again. Applications should call it when the operating system reports the change; otherwise the client notices only the
    /// packet loss and recovers more slowly.
    public func networkChanged() async { await core.networkChanged() }
}
