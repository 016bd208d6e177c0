package import MediaBase
package import Signaling

/// Rules of one session from its first join to its end: its participants, their permissions, its streams, and the
/// receivers of each event.
///
/// Does no IO and reads no clock: requests, losses and reports of the media plane go in with the time, effects come
/// out.
package struct Conference: Sendable {
    enum Phase: Hashable, Sendable {
        /// No participant has joined yet.
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
    /// Whether `sessionStarted` was sent.
    var hasStarted = false
    var password: String?
    /// Whether every stream must be encrypted end to end (E2E-1).
    package internal(set) var requiresEncryption: Bool
    /// The password can no longer be set: the reservation, the first client, or a publisher that named one has set it.
    var isPasswordSettled: Bool
    /// Nil after the first client has joined or the first publisher has published.
    var reservation: Reservation?
    package internal(set) var isMuteForced = false
    package internal(set) var isShareLocked = false
    /// Current host; nil if no participant may be host (USR-3).
    package internal(set) var host: ConnectionID?
    /// Stream of the active speaker in the main session and each subsession; no entry if there is no speaker.
    var activeSpeakers: [Location: StreamID] = [:]
    package internal(set) var isChatAllowed = true
    /// Number of chat messages so far.
    var chatMessages: UInt64 = 0
    /// Recent chat messages, to recognize repetitions.
    var chatMemory: ChatMemory
    var subsessions = Subsessions()
    /// Open help requests, oldest first.
    var helpRequests: [OpenHelpRequest] = []
    /// Number of help requests so far.
    var helpMade: UInt64 = 0

    var participants: [ConnectionID: Participant] = [:]
    /// All users, in order of joining.
    var order: [ConnectionID] = []
    /// Participants that clients know by name, in order of joining. Others are only counted.
    var listed: [ConnectionID] = []
    /// The session has reached `limits.listedUsers`: participants with neither stream nor role are not listed.
    package internal(set) var isCounting = false
    var presence = PresenceChanges()
    /// Number of joins so far.
    var joins: UInt64 = 0
    /// Time of the latest call that passed one.
    var latest: MediaTime
    /// Participants with a client, in order of joining: receivers of events to all.
    var clients: [ConnectionID] = []
    /// Participants whose client connection is lost, in order of loss.
    var lost: [ConnectionID] = []
    /// Subscribers without signalling.
    var visitingSubscribers: [ConnectionID: VisitingSubscriber] = [:]
    /// Set after the last participant, a publisher without signalling, has left: the session waits for it until `ends`,
    /// for the sake of its subscribers without signalling, then ends with `reason`.
    var publisherWait: (ends: MediaTime, reason: DisconnectReason)?
    var published: [StreamID: PublishedStream] = [:]
    /// Announced streams in order of announcement.
    var streamOrder: [StreamID] = []
    /// Number of announced streams that are recorded.
    var recordedCount = 0
    var revoked: RevokedTokens
    /// Pushes in order of creation.
    var sessionPushes: [SessionPush] = []
    /// Number of pushes so far.
    var pushesMade: UInt64 = 0
    /// Whether other relays have had media of the session, so that the next home relay asks them for it.
    package var isSpread = false
    /// Whether changes of clients' states are recorded for `takeChangedSeats`.
    package var recordsSeatChanges = false
    /// Clients whose states have changed since the last call of `takeChangedSeats`.
    var changedSeats: Set<ConnectionID> = []
    /// Effects of the current call, which returns them.
    var effects: [Effect] = []

    /// - Parameters:
    ///   - reservation: keeps the session until a client joins or a publisher without signalling publishes; nil if the first join
    ///     follows at once.
    ///   - wallClock: milliseconds since 1970.
    package init(
        id: SessionID, app: String, name: String, limits: ConferenceLimits = ConferenceLimits(),
        reservation: Reservation? = nil, now: MediaTime, wallClock: Int64
    ) throws(SignalingError) {
        let password = try SessionPassword.checked(reservation?.password)
        self.init(
            id: id, app: app, name: name, limits: limits, createdAt: wallClock, password: password,
            requiresEncryption: reservation?.requiresEncryption ?? false, isPasswordSettled: password != nil, now: now)
        self.reservation = reservation
    }

    /// Creates a session that no participant has joined, without a reservation.
    init(
        id: SessionID, app: String, name: String, limits: ConferenceLimits, createdAt: Int64, password: String?,
        requiresEncryption: Bool, isPasswordSettled: Bool, now: MediaTime
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.limits = limits
        self.createdAt = createdAt
        self.password = password
        self.requiresEncryption = requiresEncryption
        self.isPasswordSettled = isPasswordSettled
        latest = now
        chatMemory = ChatMemory(limit: limits.chatMemory)
        revoked = RevokedTokens(limit: limits.revokedTokens)
    }

    // MARK: state

    /// All participants, in order of joining.
    package var users: [UserInfo] { order.compactMap { participants[$0]?.info } }
    /// Numbers of all participants by kind.
    package var userCounts: [UserInfo.Kind: Int] {
        [.client: clients.count, .publisher: order.count - clients.count]
    }
    /// Announced streams in order of announcement.
    package var streams: [StreamInfo] { streamOrder.compactMap { info(of: $0) } }
    /// Announced streams that are recorded, in order of announcement (REC-1).
    package var recordedStreams: [StreamID] { streamOrder.filter { published[$0]?.isRecorded == true } }
    /// Whether at least one announced stream is recorded.
    package var isRecorded: Bool { recordedCount > 0 }
    /// Whether the session requires end-to-end encryption, or has an encrypted stream: the relay then makes nothing readable of it.
    package var isEncrypted: Bool { requiresEncryption || published.values.contains(where: \.isEncrypted) }
    package var hasPassword: Bool { password != nil }
    package var isEnded: Bool { phase == .ended }
    /// Whether no participant has joined and no reservation keeps the session: its owner may discard it.
    package var isForgettable: Bool { phase == .vacant && reservation == nil }
    package var participantCount: Int { order.count }
    package var streamCount: Int { streamOrder.count }

    package func user(_ id: ConnectionID) -> UserInfo? { participants[id]?.info }
    package func stream(_ id: StreamID) -> StreamInfo? {
        published[id]?.phase == .announced ? info(of: id) : nil
    }
    /// Returns whether the stream exists, announced or not.
    package func isPublished(_ id: StreamID) -> Bool { published[id] != nil }
    package func capabilities(of id: ConnectionID) -> Capabilities? { participants[id]?.capabilities }

    /// Returns a connection's subscriptions in the order of stream announcements.
    package func subscriptions(of id: ConnectionID) -> [(stream: StreamID, preferences: SubscriptionPreferences)] {
        guard let subscriptions = participants[id]?.subscriptions, !subscriptions.isEmpty else { return [] }
        return streamOrder.compactMap { stream in subscriptions[stream].map { (stream, $0.preferences) } }
    }

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        if let reservation, phase == .vacant { return reservation.expires }
        let graceEnds = lost.first.flatMap { participants[$0]?.graceEnds } ?? .never
        return min(
            graceEnds, publisherWait?.ends ?? .never, subsessions.movesDue ?? .never,
            helpRequests.first?.ends ?? .never, presence.due ?? .never)
    }

    // MARK: events

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
