import Conference
import Logging
import MediaBase
import MediaEngine
import Messaging
import NIOCore
import Signaling

/// Live session: its rules (`Conference`), its clients' sockets and its calls to the media engine. All work of the session runs on this
/// actor.
actor LiveSession {
    nonisolated let id: SessionID
    nonisolated let key: SessionKey
    /// Name of the session in the media engine.
    nonisolated let engineName: String
    nonisolated let environment: LiveSessionEnvironment
    nonisolated let logger: Logger
    nonisolated let inbox = LiveSessionInbox()

    var conference: Conference
    var clients: [ConnectionID: LiveConnection] = [:]
    /// Publishers without a control connection, by stream.
    var publishers: [StreamID: BarePublisher] = [:]
    /// Subscribers without a control connection that have a transport.
    var viewers: [ConnectionID: BareViewer] = [:]
    /// Owner of each stream, from its publish plan on.
    var owners: [StreamID: ConnectionID] = [:]
    var transports = TransportOwners()
    /// Kinds of the tracks of each stream.
    var kinds: [StreamID: Set<MediaKind>] = [:]
    /// Whether the session was given up because no one is in it; its name gets a new one.
    private(set) var isForgotten = false

    /// Clients whose outboxes have new events.
    private var touched: [ConnectionID] = []
    /// Clients whose outboxes are full.
    private var slow: Set<ConnectionID> = []
    private var isDroppingSlow = false
    private var alarm: Task<Void, Never>?
    private var alarmTime = MediaTime.never
    /// Calls to the media engine that are queued, and whether one is in progress.
    var orders = MediaOrders()
    var placements = Placements()

    init(_ conference: Conference, key: SessionKey, environment: LiveSessionEnvironment) {
        id = conference.id
        self.key = key
        engineName = key.engineName(standard: environment.configuration.standardApp)
        self.environment = environment
        var logger = environment.logger
        logger[metadataKey: "session"] = "\(key)"
        self.logger = logger
        self.conference = conference
    }

    // MARK: effects

    /// Carries out the effects that `Conference` returns, in their order.
    func perform(_ effects: [Effect]) { watch(begin(effects)) }

    /// Carries out effects like `perform`, for callers that wait for the engine.
    /// - Returns: calls that were made to the engine at once.
    func begin(_ effects: [Effect]) -> [MediaCall] {
        var calls: [MediaCall] = []
        for effect in effects {
            note(effect)
            switch effect {
            case .send(let id, let event):
                if let text = text(of: event) { append(text, to: id) }
            case .broadcast(let audience, let event):
                guard let text = text(of: event) else { continue }
                for id in audience { append(text, to: id) }
            case .close(let id, let reason): calls += close(id, reason)
            case .media(.place(let ids, let place)): self.place(ids, at: place)
            case .media(let command): calls += order(command)
            case .hook(let hook): post(hook)
            case .ended(let reason): ended(reason)
            }
        }
        flush()
        dropSlow()
        rearm()
        return calls
    }

    /// Sends a client an event that does not come from `Conference`.
    func tell(_ id: ConnectionID, _ event: Event) {
        guard let text = text(of: event) else { return }
        append(text, to: id)
        flush()
        dropSlow()
    }

    /// Encodes an event. An event that cannot be encoded is dropped for all clients, so that none of them sees a gap in the numbers.
    private func text(of event: Event) -> EventText? {
        if let text = EventText(event) { return text }
        environment.statistics.refused(.internalError)
        logger.error("cannot encode an event", metadata: ["event": "\(event.name.rawValue)"])
        return nil
    }

    private func append(_ text: EventText, to id: ConnectionID) {
        guard let client = clients[id] else { return }
        do {
            try client.append(text)
            touched.append(id)
        } catch {
            slow.insert(id)
        }
    }

    private func flush() {
        for id in touched {
            if let client = clients[id] { write(client) }
        }
        touched = []
    }

    /// Passes events to the socket while it has space; the socket calls back for the rest.
    func write(_ client: LiveConnection) {
        guard let socket = client.socket, !client.isHeld else { return }
        var space = socket.space
        var texts: [ByteBuffer] = []
        while space.messages > 0, space.bytes > 0, let item = client.outbox.next() {
            let text = item.payload.message(item.seq)
            space.messages -= 1
            space.bytes -= text.readableBytes
            texts.append(text)
        }
        client.settleQueue()
        environment.statistics.messagesSent(texts.count)
        socket.send(texts)
        guard client.outbox.unsentCount > 0 else { return }
        socket.whenDrained { [weak self, id = client.id] in
            Task { await self?.drained(id, socket) }
        }
    }

    /// Sends the events that were held back until the answer was sent.
    func release(_ client: LiveConnection) {
        guard client.isHeld else { return }
        client.isHeld = false
        write(client)
    }

    private func drained(_ id: ConnectionID, _ socket: ClientSocket) {
        guard let client = clients[id], client.socket === socket else { return }
        write(client)
    }

    /// Disconnects clients that do not read their messages. The effects of a disconnect may fill another outbox, so rounds follow one
    /// another and never nest.
    private func dropSlow() {
        guard !isDroppingSlow else { return }
        isDroppingSlow = true
        defer { isDroppingSlow = false }
        while !slow.isEmpty {
            let leaving = slow.filter { clients[$0] != nil }
            slow = []
            for id in leaving {
                environment.statistics.queueOverflowed()
                logger.notice("client does not read its messages", metadata: ["connection": "\(id)"])
                watch(close(id, .slowConsumer))
            }
            for id in leaving { perform(conference.disconnect(id, reason: .slowConsumer, now: ControlClock.now)) }
        }
    }

    /// Ends a client's connection at once.
    /// - Returns: calls to the engine that end its media.
    private func close(_ id: ConnectionID, _ reason: DisconnectReason) -> [MediaCall] {
        guard let client = clients.removeValue(forKey: id) else { return [] }
        client.release()
        environment.onLeave(client.resumeToken)
        environment.statistics.disconnected(reason)
        logger.info("client left", metadata: ["connection": "\(id)", "reason": "\(reason.rawValue)"])
        let calls = closePeers(of: client).map { MediaCall(command: .closeMedia(id), call: $0) }
        guard let socket = client.socket else { return calls }
        client.socket = nil
        var texts: [ByteBuffer] = []
        if reason == .slowConsumer {
            // The client does not get its unread events; the number shows the gap.
            if let event = text(of: .disconnected(Disconnected(reason: reason))) {
                texts.append(event.message(client.outbox.lastSeq + 1))
            }
        } else {
            // The last event may still be in the outbox.
            while let item = client.outbox.next() { texts.append(item.payload.message(item.seq)) }
        }
        environment.statistics.messagesSent(texts.count)
        socket.send(texts)
        socket.close(reason.closeCode, reason.rawValue)
        return calls
    }

    private func ended(_ reason: DisconnectReason) {
        alarm?.cancel()
        alarm = nil
        logger.info("session ended", metadata: ["reason": "\(reason.rawValue)"])
        environment.onEnd(id)
    }

    /// Gives the session up after a failed join if no one is in it.
    func forgetIfVacant() {
        guard conference.isForgettable, !isForgotten else { return }
        isForgotten = true
        environment.onEnd(id)
    }

    /// Returns the user whose conversations a connection may read; nil without an identity.
    func messagingUser(of id: ConnectionID) -> UserKey? {
        guard let identity = conference.user(id)?.identity else { return nil }
        return UserKey(app: key.app, id: identity)
    }

    // MARK: time

    private func rearm() {
        let deadline = conference.deadline
        guard deadline != alarmTime else { return }
        alarmTime = deadline
        alarm?.cancel()
        guard deadline != .never else {
            alarm = nil
            return
        }
        let wait = Duration.nanoseconds(max(deadline.rawValue - ControlClock.now.rawValue, 0))
        alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: wait)) != nil else { return }
            await self?.alarmRang()
        }
    }

    private func alarmRang() {
        alarmTime = .never
        perform(conference.handleTimeout(now: ControlClock.now))
    }
}
