import Conference
import Signaling

/// Model of a client: the state that follows from its join answer and events, and every inconsistency found in them.
struct ModelClient {
    let connection: ConnectionID
    let session: SessionID
    var users: [UserInfo]
    var userCount: Int
    /// The next page of users that the client has not requested yet.
    var nextPage: UInt64?
    var streams: [StreamInfo]
    var recorded: Set<StreamID>
    /// Live streams that the client was told of.
    var live: Set<PushID> = []
    var isMuteForced: Bool
    var isShareLocked: Bool
    var host: ConnectionID?
    var isChatAllowed: Bool
    var subsessions: SubsessionsState
    /// Subscriptions that are suspended.
    var parted: Set<StreamID> = []
    /// The client's own requests for help: those without a result, and those with one.
    var openHelp: Set<HelpRequestID> = []
    var endedHelp: Set<HelpRequestID> = []
    /// Requests of others that the client has received to answer.
    var asked: Set<HelpRequestID> = []
    var answered: Set<HelpRequestID> = []
    /// The client's own streams that have ids and are not announced yet.
    var negotiated: Set<StreamID> = []
    var events: [Event] = []
    var lastSeq: UInt64 = 0
    var disconnected: DisconnectReason?
    var faults: [String] = []

    init(_ answer: JoinAnswer) {
        connection = answer.connection
        session = answer.session
        users = answer.users
        userCount = answer.userCount
        nextPage = answer.nextPage
        streams = answer.streams
        recorded = Set(answer.recordedStreams)
        isMuteForced = answer.isMuteForced
        isShareLocked = answer.isShareLocked
        isChatAllowed = answer.isChatAllowed
        subsessions = answer.subsessions
        host = answer.users.first { $0.role == .host }?.id
    }

    mutating func receive(_ seq: UInt64, _ event: Event) {
        if seq != lastSeq + 1 { faults.append("event \(seq) after \(lastSeq)") }
        if disconnected != nil { faults.append("\(event.name) after disconnected") }
        lastSeq = seq
        events.append(event)
        apply(event)
    }

    private mutating func apply(_ event: Event) {
        switch event {
        case .userJoined(let body):
            check(!users.contains { $0.id == body.user.id }, "joined twice: \(body.user.id)")
            users.append(body.user)
            userCount = users.count
        case .usersChanged(let body):
            for user in body.joined {
                // The join answer may already have listed the user.
                users.removeAll { $0.id == user.id }
                users.append(user)
            }
            for gone in body.left {
                check(!streams.contains { $0.connection == gone.user }, "left before its streams: \(gone.user)")
                users.removeAll { $0.id == gone.user }
                location(gone.user, in: nil)
            }
            for id in body.unlisted where id != connection {
                check(!streams.contains { $0.connection == id }, "unlisted before its streams ended: \(id)")
                users.removeAll { $0.id == id }
            }
            userCount = body.count
        case .userChanged(let body): change(user: body.user.id) { $0 = body.user }
        case .userLeft(let body):
            check(users.contains { $0.id == body.user }, "stranger left: \(body.user)")
            check(!streams.contains { $0.connection == body.user }, "left before its streams: \(body.user)")
            users.removeAll { $0.id == body.user }
            userCount = users.count
            location(body.user, in: nil)
        case .userDropped(let body): change(user: body.user) { $0.isConnected = !body.isDropped }
        case .hostChanged(let body):
            host = body.host
            check(users.filter { $0.role == .host }.map(\.id) == [body.host].compactMap { $0 }, "host is not the host")
        case .streamCreated(let body):
            check(!streams.contains { $0.id == body.stream.id }, "created twice: \(body.stream.id)")
            check(users.contains { $0.id == body.stream.connection }, "stream without owner: \(body.stream.id)")
            negotiated.remove(body.stream.id)
            streams.append(body.stream)
        case .streamChanged(let body):
            let index = streams.firstIndex { $0.id == body.stream.id }
            check(index != nil, "unknown stream changed: \(body.stream.id)")
            if let index { streams[index] = body.stream }
        case .streamDestroyed(let body):
            let isOwn = negotiated.remove(body.stream) != nil
            check(isOwn || streams.contains { $0.id == body.stream }, "unknown stream destroyed: \(body.stream)")
            streams.removeAll { $0.id == body.stream }
            check(!recorded.contains(body.stream), "destroyed while recorded: \(body.stream)")
            parted.remove(body.stream)
        case .recordingStarted(let body):
            check(streams.contains { $0.id == body.stream }, "unknown stream recorded: \(body.stream)")
            check(recorded.insert(body.stream).inserted, "recorded twice: \(body.stream)")
        case .recordingStopped(let body):
            check(recorded.remove(body.stream) != nil, "not recorded: \(body.stream)")
        case .subscriptionChanged(let body):
            check(streams.contains { $0.id == body.stream }, "subscription to an unknown stream: \(body.stream)")
            switch body.state {
            case .suspended: check(parted.insert(body.stream).inserted, "suspended twice: \(body.stream)")
            case .resumed: check(parted.remove(body.stream) != nil, "resumed twice: \(body.stream)")
            case .failed: parted.remove(body.stream)
            case .connected, .videoDisabled, .videoEnabled, .dropped, .reconnected: break
            }
        case .muteForced(let body):
            if let stream = body.stream {
                let owner = streams.first { $0.id == stream }?.connection
                check(owner == connection, "told of another's mute: \(stream)")
            } else {
                isMuteForced = body.isActive
            }
        case .shareLockChanged(let body): isShareLocked = body.isLocked
        case .disconnected(let body): disconnected = body.reason
        case .unmuteRequested(let body):
            check(users.contains { $0.id == body.from }, "unmute asked by a stranger: \(body.from)")
        case .signal(let body):
            if let from = body.from { check(users.contains { $0.id == from }, "signal of a stranger: \(from)") }
        case .activeSpeaker(let body):
            if let stream = body.stream { check(streams.contains { $0.id == stream }, "unknown speaker: \(stream)") }
        case .mediaReset(let body): if body.subscribe { parted = [] }
        case .subsessionsChanged, .subsessionRoleChanged, .subsessionUsersChanged, .broadcast, .helpRequested,
            .helpEnded, .helpResult, .chat, .chatAllowedChanged:
            applyToSubsessions(event)
        case .liveStarted(let body):
            if let stream = body.stream {
                check(streams.contains { $0.id == stream }, "unknown stream is live: \(stream)")
            }
            live.insert(body.id)
        case .liveFailed: check(host == connection, "told of a failed live stream without being host")
        case .liveStopped(let body):
            check(live.remove(body.id) != nil || host == connection, "not live: \(body.id)")
        case .offer, .draining, .messaging: break
        }
    }

    private mutating func change(user id: ConnectionID, _ body: (inout UserInfo) -> Void) {
        guard let index = users.firstIndex(where: { $0.id == id }) else {
            return faults.append("unknown user changed: \(id)")
        }
        body(&users[index])
    }

    mutating func check(_ condition: Bool, _ fault: String) {
        if !condition { faults.append(fault) }
    }
}
