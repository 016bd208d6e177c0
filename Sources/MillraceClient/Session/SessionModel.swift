import MediaBase
import Signaling

/// Known state of a session (users, streams and modes), kept up to date by the relay's events.
struct SessionModel: Sendable {
    var connection: ConnectionID?
    var session: SessionID?
    var sessionName: String?
    var capabilities: Capabilities?
    /// Transports that the relay supports over the current control connection.
    private(set) var transports = [MediaTransport.webRTC]
    /// Names of the video codecs that the relay forwards, such as `VP8`.
    private(set) var videoCodecs = [VideoCodec.vp8.rawValue]
    /// Listed users in order of joining.
    var users: [UserInfo] = []
    /// Number of users in the session; greater than `users.count` if some are only counted.
    var userCount = 0
    private(set) var streams: [StreamID: StreamInfo] = [:]
    private(set) var recordedStreams: Set<StreamID> = []
    /// Streams that are pushed to other servers, by push.
    private(set) var pushes: [PushID: StreamID?] = [:]
    /// Pushes that the application was told of before a snapshot; the relay names those that continue.
    private var formerPushes: Set<PushID> = []
    /// Requests for help that the local user was asked to answer.
    var helpRequests: Set<HelpRequestID> = []
    private(set) var host: ConnectionID?
    private(set) var isMuteForced = false
    private(set) var isShareLocked = false
    private(set) var isChatAllowed = true
    private(set) var requiresEncryption = false
    private(set) var activeSpeaker: StreamID?
    var subsessions = SubsessionsState()
    /// Number that participants compare to detect wrong keys.
    var safetyNumber: String?

    var localUser: UserInfo? { users.first { $0.id == connection } }

    /// Replaces the state with that of a join, or of a snapshot for the same connection.
    /// - Parameter publishLost: whether the relay has lost the publications, so that they are made again.
    /// - Returns: the differences from the former state as events; after the first join, events for everything
    ///   already present.
    mutating func join(_ answer: JoinAnswer, publishLost: Bool = true) -> [SessionEvent] {
        var events: [SessionEvent] = []
        let (formerUsers, formerStreams, former) = (users, streams, connection)
        let (formerHost, formerCount) = (host, userCount)
        let isSnapshot = former == answer.connection
        let formerRecorded = recordedStreams
        connection = answer.connection
        session = answer.session
        sessionName = answer.sessionName
        capabilities = answer.capabilities
        transports = answer.transports ?? [.webRTC]
        videoCodecs = answer.videoCodecs ?? [VideoCodec.vp8.rawValue]
        requiresEncryption = answer.requiresEncryption
        users = answer.users
        userCount = max(answer.userCount, users.count)
        streams = Dictionary(answer.streams.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        recordedStreams = Set(answer.recordedStreams)
        // The relay sends an event for each push after the join or snapshot, and for each open request for help.
        formerPushes = isSnapshot ? formerPushes.union(pushes.keys) : []
        pushes = [:]
        if !isSnapshot { helpRequests = [] }
        for stream in formerRecorded.subtracting(recordedStreams).sorted(by: { $0.rawValue < $1.rawValue }) {
            events.append(.recordingStopped(stream))
        }
        host = answer.users.first { $0.role == .host }?.id
        if !isSnapshot || activeSpeaker.map({ streams[$0] == nil }) == true { activeSpeaker = nil }
        for stream in formerStreams.values.sorted(by: Self.isOlder) where streams[stream.id] == nil {
            // An own stream that ended while its peer connection continued was ended by a moderator.
            let isForced = isSnapshot && !publishLost && stream.connection == connection
            events.append(.streamDestroyed(stream, isForced ? .forced : .reset))
        }
        for user in formerUsers where user.id != former && !users.contains(where: { $0.id == user.id }) {
            events.append(.connectionDestroyed(user, .networkLost))
        }
        events += changes(from: formerUsers)
        if isSnapshot, formerHost != host { events.append(.hostChanged(host)) }
        if isSnapshot, formerCount != userCount, userCount > users.count || formerCount > formerUsers.count {
            events.append(.userCountChanged(userCount))
        }
        for stream in answer.streams {
            guard let before = formerStreams[stream.id] else {
                events.append(.streamCreated(stream))
                continue
            }
            if before != stream { events.append(.streamChanged(stream)) }
        }
        for stream in answer.recordedStreams where !formerRecorded.contains(stream) {
            events.append(.recordingStarted(stream))
        }
        if isMuteForced != answer.isMuteForced { events.append(.muteForced(isActive: answer.isMuteForced)) }
        if isShareLocked != answer.isShareLocked { events.append(.shareLockChanged(isLocked: answer.isShareLocked)) }
        if isChatAllowed != answer.isChatAllowed { events.append(.chat(.allowedChanged(answer.isChatAllowed))) }
        isMuteForced = answer.isMuteForced
        isShareLocked = answer.isShareLocked
        isChatAllowed = answer.isChatAllowed
        return events + takeSubsessions(answer.subsessions, isFirst: former == nil)
    }

    /// Applies an event of the relay.
    /// - Returns: events for the application; none if nothing changes or if the event does not concern it.
    mutating func apply(_ event: Event) -> [SessionEvent] {
        switch event {
        case .userJoined(let body):
            let events = add(body.user)
            userCount = users.count
            return events
        case .userChanged(let body):
            guard let index = users.firstIndex(where: { $0.id == body.user.id }), users[index] != body.user else {
                return []
            }
            users[index] = body.user
            return [.userChanged(body.user)]
        case .userLeft(let body):
            let events = remove(body)
            userCount = users.count
            return events
        case .usersChanged(let body): return apply(body)
        case .userDropped(let body):
            guard let index = users.firstIndex(where: { $0.id == body.user }) else { return [] }
            users[index].isConnected = !body.isDropped
            return [.userDropped(body.user, body.isDropped)]
        case .hostChanged(let body): return change(host: body.host)
        case .streamCreated(let body):
            guard let before = streams.updateValue(body.stream, forKey: body.stream.id) else {
                return [.streamCreated(body.stream)]
            }
            return before == body.stream ? [] : [.streamChanged(body.stream)]
        case .streamChanged(let body):
            guard let before = streams[body.stream.id], before != body.stream else { return [] }
            streams[body.stream.id] = body.stream
            return [.streamChanged(body.stream)]
        case .streamDestroyed(let body):
            guard let stream = streams.removeValue(forKey: body.stream) else { return [] }
            if activeSpeaker == body.stream { activeSpeaker = nil }
            return [.streamDestroyed(stream, body.reason)]
        case .recordingStarted(let body):
            return recordedStreams.insert(body.stream).inserted ? [.recordingStarted(body.stream)] : []
        case .recordingStopped(let body):
            return recordedStreams.remove(body.stream) != nil ? [.recordingStopped(body.stream)] : []
        case .liveStarted(let body):
            let isKnown = formerPushes.remove(body.id) != nil
            return pushes.updateValue(body.stream, forKey: body.id) == nil && !isKnown
                ? [.liveStarted(body.id, body.stream)] : []
        case .liveFailed(let body): return [.liveFailed(body)]
        case .liveStopped(let body):
            pushes[body.id] = nil
            formerPushes.remove(body.id)
            return [.liveStopped(body)]
        case .signal(let body): return [.signal(from: body.from, type: body.type, data: body.data)]
        case .muteForced(let body):
            if let stream = body.stream { return [.streamMuteForced(stream, body.kind)] }
            isMuteForced = body.isActive
            return [.muteForced(isActive: body.isActive)]
        case .unmuteRequested(let body):
            return [
                body.isUnmuted == true
                    ? .unmuted(by: body.from, kind: body.kind) : .unmuteRequested(from: body.from, kind: body.kind)
            ]
        case .shareLockChanged(let body):
            isShareLocked = body.isLocked
            return [.shareLockChanged(isLocked: body.isLocked)]
        case .activeSpeaker(let body):
            guard activeSpeaker != body.stream else { return [] }
            activeSpeaker = body.stream
            return [.activeSpeakerChanged(body.stream)]
        case .draining(let body): return [.relayDraining(seconds: body.seconds)]
        case .subsessionsChanged(let body): return apply(body)
        case .subsessionRoleChanged(let body): return apply(body)
        case .subsessionUsersChanged(let body): return apply(body)
        case .broadcast(let body): return [.subsessions(.broadcast(from: body.from, text: body.text))]
        case .helpRequested(let body):
            return helpRequests.insert(body.request).inserted ? [.subsessions(.helpRequested(body))] : []
        case .helpEnded(let body):
            helpRequests.remove(body.request)
            return [.subsessions(.helpEnded(body.request))]
        case .helpResult(let body): return [.subsessions(.helpResult(body.request, body.result))]
        case .chat(let body): return [.chat(.message(body))]
        case .chatAllowedChanged(let body):
            isChatAllowed = body.isAllowed
            return [.chat(.allowedChanged(body.isAllowed))]
        case .messaging, .offer, .subscriptionChanged, .disconnected, .mediaReset: return []
        }
    }

    /// Applies a change that the relay has granted. The relay's event follows, and the application receives it
    /// then.
    mutating func apply(_ change: GrantedChange) {
        switch change {
        case .muteForced(let isActive): isMuteForced = isActive
        case .shareLocked(let isLocked): isShareLocked = isLocked
        case .chatAllowed(let isAllowed): isChatAllowed = isAllowed
        case .subsessionsStarted: subsessions.status = .started
        case .subsessionsStopped:
            subsessions.status = .committed
            for index in subsessions.subsessions.indices { subsessions.subsessions[index].users = [] }
        case .subsessionsWithdrawn:
            subsessions.status = .none
            subsessions.subsessions = []
        case .subsessionJoined(let id): if let connection { move(connection, to: id) }
        case .mainSessionJoined: if let connection { move(connection, to: nil) }
        }
    }

    /// Resets the state when the session has ended for this client.
    mutating func end() { self = SessionModel() }

    private mutating func change(host: ConnectionID?) -> [SessionEvent] {
        guard self.host != host else { return [] }
        self.host = host
        // The relay sends `userChanged` for the users separately, before or after; updating the roles here keeps
        // them consistent in between.
        for index in users.indices {
            if users[index].id == host {
                users[index].role = .host
            } else if users[index].role == .host {
                users[index].role = .participant
            }
        }
        return [.hostChanged(host)]
    }

    private static func isOlder(_ a: StreamInfo, _ b: StreamInfo) -> Bool {
        (a.createdAt, a.id.rawValue) < (b.createdAt, b.id.rawValue)
    }
}
