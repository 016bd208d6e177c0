package import MediaBase
package import Signaling

/// The rules of one session from its first join to its end: who is in it, who may do what, which streams there are, and who is told.
///
/// No IO and no clock: requests, losses and reports of the media plane go in with the time, effects come out.
package struct Conference: Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody has joined.
        case vacant
        case live
        case ended
    }

    package let id: SessionID
    package let app: String
    /// In lower case.
    package let name: String
    package let limits: ConferenceLimits
    /// Milliseconds since 1970.
    package let createdAt: Int64

    var phase = Phase.vacant
    var password: String?
    /// Whether every stream must be encrypted end to end (E2E-1).
    package internal(set) var requiresEncryption: Bool
    /// The first client to join has decided, or whoever made the session, or a publisher that named one.
    var isPasswordSettled: Bool
    var reservation: Reservation?
    package internal(set) var isMuteForced = false
    package internal(set) var isShareLocked = false
    /// Nil while nobody is there who may be it (USR-3).
    package internal(set) var host: ConnectionID?
    /// Who has the floor, by place; nobody where there is none.
    var activeSpeakers: [Place: StreamID] = [:]
    package internal(set) var isChatAllowed = true
    /// Chat messages so far.
    var chatMessages: UInt64 = 0
    /// Those of them that may be sent again.
    var chatMemory: ChatMemory
    var subsessions = Subsessions()
    /// Those that have no result yet, the earliest first.
    var helpRequests: [OpenHelpRequest] = []
    /// Requests for help so far.
    var helpMade: UInt64 = 0

    var participants: [ConnectionID: Participant] = [:]
    /// All users, in order of joining.
    var order: [ConnectionID] = []
    /// Those that clients know by name, in the same order. The others are only counted.
    var listed: [ConnectionID] = []
    /// The session is so large that users with neither stream nor role are not listed.
    package internal(set) var isCounting = false
    var presence = PresenceChanges()
    /// Users that have joined so far.
    var joins: UInt64 = 0
    /// Time of the latest call that had one.
    var latest: MediaTime
    /// Those of them with a client to tell, in the same order: the audience of everything.
    var clients: [ConnectionID] = []
    /// Those whose clients are lost, the earliest first.
    var lost: [ConnectionID] = []
    /// Those who watch without signalling.
    var viewers: [ConnectionID: Viewer] = [:]
    /// The last user was a publisher without signalling. Until then the viewers wait for it to begin anew; after that the session ends for
    /// this reason.
    var publisherWait: (ends: MediaTime, reason: DisconnectReason)?
    var published: [StreamID: PublishedStream] = [:]
    /// Announced streams, in that order.
    var streamOrder: [StreamID] = []
    var revoked: RevokedTokens
    /// Drained by each call from outside.
    var effects: [Effect] = []

    /// - Parameters:
    ///   - reservation: keeps the session until somebody joins; without one the first join follows at once.
    ///   - wallClock: milliseconds since 1970.
    package init(
        id: SessionID, app: String, name: String, limits: ConferenceLimits = ConferenceLimits(),
        reservation: Reservation? = nil, now: MediaTime, wallClock: Int64
    ) throws(SignalingError) {
        self.id = id
        self.app = app
        self.name = name
        self.limits = limits
        createdAt = wallClock
        latest = now
        self.reservation = reservation
        password = try SessionPassword.checked(reservation?.password)
        isPasswordSettled = password != nil
        requiresEncryption = reservation?.requiresEncryption ?? false
        chatMemory = ChatMemory(limit: limits.chatMemory)
        revoked = RevokedTokens(limit: limits.revokedTokens)
    }

    // MARK: what is true now

    /// Everybody, in order of joining.
    package var users: [UserInfo] { order.compactMap { participants[$0]?.info } }
    /// Announced streams, in that order.
    package var streams: [StreamInfo] { streamOrder.compactMap { info(of: $0) } }
    /// Announced streams that are recorded, in that order (REC-1).
    package var recordedStreams: [StreamID] { streamOrder.filter { published[$0]?.isRecorded == true } }
    package var hasPassword: Bool { password != nil }
    package var isEnded: Bool { phase == .ended }
    /// Nobody has joined, and no reservation keeps it: whoever made it may forget it.
    package var isForgettable: Bool { phase == .vacant && reservation == nil }
    package var participantCount: Int { order.count }
    package var streamCount: Int { streamOrder.count }

    package func user(_ id: ConnectionID) -> UserInfo? { participants[id]?.info }
    package func stream(_ id: StreamID) -> StreamInfo? {
        published[id]?.phase == .announced ? info(of: id) : nil
    }
    /// Announced or about to be.
    package func isPublished(_ id: StreamID) -> Bool { published[id] != nil }
    package func capabilities(of id: ConnectionID) -> Capabilities? { participants[id]?.capabilities }

    /// What a connection is subscribed to, in the order of the streams.
    package func subscriptions(of id: ConnectionID) -> [(stream: StreamID, preferences: SubscriptionPreferences)] {
        guard let wishes = participants[id]?.subscriptions, !wishes.isEmpty else { return [] }
        return streamOrder.compactMap { stream in wishes[stream].map { (stream, $0.preferences) } }
    }

    /// When `handleTimeout` is due.
    package var deadline: MediaTime {
        if let reservation, phase == .vacant { return reservation.expires }
        let graceEnds = lost.first.flatMap { participants[$0]?.graceEnds } ?? .never
        return min(
            graceEnds, publisherWait?.ends ?? .never, subsessions.movesDue ?? .never,
            helpRequests.first?.ends ?? .never, presence.due ?? .never)
    }

    // MARK: telling

    func info(of stream: StreamID) -> StreamInfo? {
        guard let stream = published[stream] else { return nil }
        return stream.info(isDropped: participants[stream.owner]?.info.isConnected == false)
    }

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func tell(_ connection: ConnectionID, _ event: Event) {
        guard participants[connection]?.isClient == true else { return }
        introduceUser(of: event)
        effects.append(.send(connection, event))
    }

    mutating func tellAll(_ event: Event, excluding excluded: ConnectionID? = nil) {
        tell(clients, event, excluding: excluded)
    }

    mutating func tell(_ audience: [ConnectionID], _ event: Event, excluding excluded: ConnectionID? = nil) {
        guard let first = audience.first, audience.count > 1 || first != excluded else { return }
        introduceUser(of: event)
        effects.append(.broadcast(Audience(audience, excluding: excluded), event))
    }

    mutating func command(_ command: MediaCommand) { effects.append(.media(command)) }

    mutating func hook(_ event: HookEvent) { effects.append(.hook(event)) }
}
