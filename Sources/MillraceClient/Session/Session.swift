public import Signaling

/// A client in a session: connects, publishes, subscribes, signals and moderates; comes back by itself when the connection is lost.
///
/// What it shows (`status`, `users`, `streams`, ...) can be read at any time and from anywhere, and holds each change before its event is
/// told. Events come as an `AsyncSequence` (`events`), for any number of readers, and to delegates on executors of their choice.
///
/// ```swift
/// let session = Session(url: "https://relay.example", token: token)
/// try await session.connect(name: "Ada")
/// for await event in session.events { … }
/// ```
///
/// What is asked of the relay throws `notConnected` while the session is not connected, or where the connection was lost before the answer
/// came; `notPermitted` where role and token do not allow it; `rateLimited`; and `limitReached` where `SessionConfiguration.requestLimit`
/// requests wait already, or where the relay has a limit. Each function names what it throws besides.
public final class Session: Sendable {
    let board = SessionBoard()
    let core: SessionCore
    private let configuration: SessionConfiguration

    /// - Parameters:
    ///   - url: of the relay: `https://`, `http://`, `wss://` or `ws://`.
    ///   - token: of the user.
    public init(url: String, token: String, configuration: SessionConfiguration = SessionConfiguration()) {
        self.configuration = configuration
        core = SessionCore(url: url, token: token, configuration: configuration, board: board)
    }

    deinit { core.abandon() }

    // MARK: what is known, at any time

    /// Where the connection stands.
    public var status: SessionStatus { board.snapshot.status }
    /// One's own connection; nil while not connected.
    public var connection: ConnectionID? { board.snapshot.model.connection }
    /// Nil while not connected.
    public var sessionID: SessionID? { board.snapshot.model.session }
    /// In lower case.
    public var sessionName: String? { board.snapshot.model.sessionName }
    /// What the token allows; nil before the session was joined.
    public var capabilities: Capabilities? { board.snapshot.model.capabilities }
    /// Every stream of the session, one's own included.
    public var streams: [StreamID: StreamInfo] { board.snapshot.model.streams }
    /// Streams that the relay records now. Show participants that they are recorded while it is not empty.
    public var recordedStreams: Set<StreamID> { board.snapshot.model.recordedStreams }
    /// Oneself; nil while not connected.
    public var localUser: UserInfo? { board.snapshot.model.localUser }
    /// Everybody else, in order of joining.
    public var remoteUsers: [UserInfo] {
        let model = board.snapshot.model
        return model.users.filter { $0.id != model.connection }
    }
    /// All users of the session, oneself included. More than are listed in a large session: the relay lists only users with a stream or a role
    /// there, and counts the others.
    public var userCount: Int { board.snapshot.model.userCount }
    /// Who is host; nil where nobody is there who may be it, and while not connected.
    public var host: ConnectionID? { board.snapshot.model.host }
    /// Streams that begin start with muted sound.
    public var isMuteForced: Bool { board.snapshot.model.isMuteForced }
    /// Only host and managers may publish a screen.
    public var isShareLocked: Bool { board.snapshot.model.isShareLocked }
    /// The stream of who speaks in one's own room; nil: nobody does.
    public var activeSpeaker: StreamID? { board.snapshot.model.activeSpeaker }
    /// The breakout rooms of the session.
    public var subsessions: Subsessions { Subsessions(core: core) }
    /// The chat of the session.
    public var chat: SessionChat { SessionChat(core: core) }
    /// What was published and has not ended, in the order in which it was.
    public var publishers: [Publisher] { board.snapshot.publishers }
    /// What was subscribed to and has not ended.
    public var subscribers: [StreamID: Subscriber] { board.snapshot.subscribers }

    // MARK: events

    /// A reader of all that happens from now on. One that falls behind by more than `SessionConfiguration.eventLimit` loses the oldest
    /// events, counted in `dropped`.
    public var events: Feed<SessionEvent> { board.events.feed(limit: configuration.eventLimit) }

    /// A reader of the status' changes alone, from the present one on.
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

    /// Tells a delegate, which is held weakly, of all that happens from now on: 16 of them at most, further ones are told nothing.
    /// - Parameter executor: where its methods run.
    public func add(_ delegate: some SessionDelegate, on executor: DelegateExecutor) {
        let (listener, session) = (WeakBox(delegate), WeakBox(self))
        board.add(
            DelegateSeat(on: executor, limit: configuration.eventLimit, isThere: { listener.object != nil }) { event in
                guard let listener = listener.object, let session = session.object else { return }
                listener.session(session, didReceive: event)
            })
    }

    /// No delegate is told of anything any more.
    public func removeDelegates() { board.removeDelegates() }

    // MARK: the connection

    /// Joins the session.
    ///
    /// After `passwordNeeded` or `passwordWrong` the session goes on `connecting`: call again with another password, or `disconnect()`
    /// to let it be.
    /// - Parameters:
    ///   - name: display name without control and bidirectional characters; an empty one becomes `null`.
    ///   - password: at most 10 printable ASCII characters; the first join sets it.
    ///   - options: audio and video to begin with; they hold until the session is left.
    /// - Throws: `passwordNeeded`, `passwordWrong`, `passwordInvalid` or `rateLimited`, after which it can be called again; what the
    ///   relay refused the token with, such as `tokenExpired` or `tokenTopicMismatch`; `connectFailed` where the relay cannot be
    ///   reached; `alreadyJoined` where it is connected or about to be; `invalidSessionName` where neither token nor configuration names
    ///   a session; `invalidField` for a size out of range, and for an address or a file of certificates that is none; `messageTooLarge`; `notConnected` where it was
    ///   left or cancelled meanwhile.
    public func connect(
        name: String, password: String? = nil, options: JoinOptions = JoinOptions()
    ) async throws(SessionError) {
        try await core.connect(name: name, password: password, options: options)
    }

    /// Leaves. All publishers and subscribers end. Does nothing where there is no connection.
    public func disconnect() async { try? await core.leave(endForAll: false) }

    /// Leaves, or ends the session for everybody.
    /// - Throws: `notPermitted` for whoever is not host; the connection then stays. `notConnected` where there is none.
    public func leave(endForAll: Bool = false) async throws(SessionError) {
        try await core.leave(endForAll: endForAll)
    }

    /// The network of this machine is another one: media looks for its way anew, without joining again. Applications call it
    /// when their system tells them; what is not told shows as loss and heals more slowly.
    public func networkChanged() async { await core.networkChanged() }
}
