import Conference
import Logging
import MediaBase
import MediaEngine
import Messaging
import NIOCore
import Signaling

/// One session: its rules (`Conference`), the sockets of its clients, and what the media engine does for it. Everything about the session
/// happens here, one thing after the other.
actor LiveSession {
    nonisolated let id: SessionID
    nonisolated let key: SessionKey
    /// What the media engine calls the session.
    nonisolated let engineName: String
    nonisolated let environment: LiveSessionEnvironment
    nonisolated let logger: Logger
    nonisolated let inbox = LiveSessionInbox()

    var conference: Conference
    var clients: [ConnectionID: LiveConnection] = [:]
    /// Publishers without signalling, by the stream that each has.
    var publishers: [StreamID: BarePublisher] = [:]
    /// Viewers without signalling that have a transport.
    var viewers: [ConnectionID: BareViewer] = [:]
    /// Whose each stream is, from its plan on.
    var owners: [StreamID: ConnectionID] = [:]
    var transports = TransportOwners()
    /// Kinds that each stream is published with.
    var kinds: [StreamID: Set<MediaKind>] = [:]
    /// Nobody joined it and nobody will: another is made for its name.
    private(set) var isForgotten = false

    /// Clients that have something in their outboxes that was not there before.
    private var touched: [ConnectionID] = []
    /// Clients whose outboxes are full.
    private var slow: Set<ConnectionID> = []
    private var isDroppingSlow = false
    private var alarm: Task<Void, Never>?
    private var alarmTime = MediaTime.never
    /// What the media engine is still to be told, and whether it is being told something.
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

    /// Carries out what the rules ask for, in their order.
    func perform(_ effects: [Effect]) { watch(begin(effects)) }

    /// The same, for those who wait until the engine has done its part.
    /// - Returns: what the engine has been told at once.
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

    /// An event of the session's own, besides those of the rules.
    func tell(_ id: ConnectionID, _ event: Event) {
        guard let text = text(of: event) else { return }
        append(text, to: id)
        flush()
        dropSlow()
    }

    /// One that cannot be written is left out, for all: none of them misses a number.
    private func text(of event: Event) -> EventText? {
        if let text = EventText(event) { return text }
        environment.statistics.refused(.internalError)
        logger.error("an event cannot be written", metadata: ["event": "\(event.name.rawValue)"])
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

    /// Hands over as much as the socket takes; it calls back for the rest.
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

    /// The answer is sent: what it caused may follow.
    func release(_ client: LiveConnection) {
        guard client.isHeld else { return }
        client.isHeld = false
        write(client)
    }

    private func drained(_ id: ConnectionID, _ socket: ClientSocket) {
        guard let client = clients[id], client.socket === socket else { return }
        write(client)
    }

    /// Those who do not read are not waited for. What the rules say of their leaving may fill the next outbox: one round after the other,
    /// never one within the other.
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
    /// - Returns: the end of its media, which the engine has been told.
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
            // What it has not read it will not get: the number shows the gap.
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

    /// After a join that failed: a session that nobody is in is not kept.
    func forgetIfVacant() {
        guard conference.isForgettable, !isForgotten else { return }
        isForgotten = true
        environment.onEnd(id)
    }

    /// Whose conversations a connection may read; nil without an identity.
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
