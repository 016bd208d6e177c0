import Conference
import MediaBase
import Signaling
import Testing

/// One session with model clients, their outboxes and a model media plane; carries out all effects and records every fault.
final class World {
    var conference: Conference
    var now = MediaTime.zero
    var clients: [ConnectionID: ModelClient] = [:]
    var outboxes: [ConnectionID: Outbox<Event>] = [:]
    var plane = ModelMediaPlane()
    var hooks: [HookEvent] = []
    /// Live streams whose pushes run.
    var pushes: Set<PushID> = []
    var closed: [ConnectionID: DisconnectReason] = [:]
    var ended: DisconnectReason?
    var lastEffects: [Effect] = []
    /// Total number of events sent to all clients.
    private(set) var eventsTold = 0
    /// Time by which the last moves have been announced to all clients.
    var movesDue: MediaTime?
    private(set) var faults: [String] = []
    private var counter = 0

    var wallClock: Int64 { 1_800_000_000_000 + now.rawValue / 1_000_000 }

    /// - Parameter sharesPresence: batches joins and leaves as `limits` say; otherwise each is announced at once.
    init(
        limits: ConferenceLimits = ConferenceLimits(), sharesPresence: Bool = false, app: String = "app",
        name: String = "room",
        reservation: Reservation? = nil
    ) throws {
        var limits = limits
        if !sharesPresence { limits.presenceSharing = .zero }
        conference = try Conference(
            id: SessionID(rawValue: "\(app)-\(name)"), app: app, name: name, limits: limits, reservation: reservation,
            now: .zero, wallClock: 1_800_000_000_000)
    }

    func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    // MARK: requests and reports

    @discardableResult
    func join(
        _ name: String = "user", _ capabilities: Capabilities = .publisher, kind: UserInfo.Kind = .client,
        identity: String? = nil, token: String? = nil, password: String? = nil, isTrusted: Bool = false,
        media: JoinMedia = JoinMedia(), requiresEncryption: Bool = false, e2eeKey: String? = nil
    ) throws(SignalingError) -> ConnectionID {
        let connection = ConnectionID(rawValue: fresh("c"))
        let admission = Admission(
            connection: connection, resumeToken: "secret-\(connection)", name: name, identity: identity, kind: kind,
            capabilities: capabilities, token: token.map(TokenFingerprint.init(rawValue:)), password: password,
            isTrusted: isTrusted, media: media, requiresEncryption: requiresEncryption, e2eeKey: e2eeKey)
        let join = try conference.join(admission, now: now, wallClock: wallClock).get()
        if kind == .client {
            clients[connection] = ModelClient(join.answer)
            outboxes[connection] = Outbox()
        }
        carryOut(join.effects)
        return connection
    }

    @discardableResult
    func request<Body: RequestBody>(_ request: Body, _ sender: ConnectionID) throws(SignalingError) -> Body.Answer? {
        let before = conference.location(of: sender)
        let destination = conference.destination(of: request, from: sender, now: now)
        let reply = conference.request(request, from: sender, now: now, wallClock: wallClock)
        switch reply.result {
        case .failure:
            if !reply.effects.allSatisfy({ $0.isFailure(of: request, to: sender) }) {
                faults.append("a refused request has effects")
            }
        case .success(let answer): note(request, answer, of: sender)
        }
        let isThere = conference.user(sender) != nil
        let after = conference.location(of: sender)
        if isThere, request.movesSender, after != destination ?? before {
            faults.append("\(request.method) led from \(before) to \(after), not to \(String(describing: destination))")
        }
        carryOut(reply.effects)
        return try reply.result.get()
    }

    /// Updates a model client after its own request.
    private func note<Body: RequestBody>(_ request: Body, _ answer: Body.Answer?, of sender: ConnectionID) {
        switch request {
        case let body as UnsubscribeRequest:
            // Earlier events are delivered first.
            deliver(sender)
            clients[sender]?.parted.remove(body.stream)
        case let body as AnswerHelpRequest:
            clients[sender]?.asked.remove(body.request)
            clients[sender]?.answered.insert(body.request)
        case is RequestHelpRequest:
            if let opened = answer as? RequestHelpRequest.Answer { clients[sender]?.openHelp.insert(opened.request) }
        default: break
        }
    }

    func prepare(
        _ streams: [PublishRequest.Stream], _ sender: ConnectionID, ids: [StreamID]? = nil
    ) throws(SignalingError) -> PublishPlan {
        let ids = ids ?? streams.map { _ in StreamID(rawValue: fresh("s")) }
        return try conference.preparePublish(streams, from: sender, newIDs: ids).get()
    }

    func confirm(_ plan: PublishPlan) {
        plane.negotiate(plan)
        for stream in plan.streams where stream.isNew { clients[plan.connection]?.negotiated.insert(stream.id) }
        carryOut(conference.confirmPublish(plan))
    }

    func announce(_ plan: PublishPlan) {
        for stream in plan.streams {
            media(
                .published(
                    plan.connection, stream.id, hasAudio: stream.audioMid != nil, hasVideo: stream.videoMid != nil))
        }
    }

    /// Publishes a stream up to its `streamCreated` event.
    @discardableResult
    func publish(
        _ sender: ConnectionID, _ type: VideoType = .camera, audio: Bool = true, video: Bool = true,
        keeping: [StreamID] = []
    ) throws(SignalingError) -> StreamID {
        var streams = keeping.compactMap { conference.stream($0) }.map {
            PublishRequest.Stream(id: $0.id, name: $0.name, videoType: $0.videoType, audioMid: "0", videoMid: "1")
        }
        streams.append(
            PublishRequest.Stream(
                name: "stream", videoType: type, audioMid: audio ? "2" : nil, videoMid: video ? "3" : nil, width: 640,
                height: 360))
        let plan = try prepare(streams, sender)
        confirm(plan)
        announce(plan)
        return plan.streams[plan.streams.count - 1].id
    }

    func media(_ event: MediaEvent) { carryOut(conference.media(event, now: now, wallClock: wallClock)) }

    func push(_ id: PushID, _ outcome: PushOutcome) { carryOut(conference.push(id, outcome, now: now)) }

    func admin(_ command: AdminCommand) throws(SignalingError) {
        carryOut(try conference.admin(command, now: now).get())
    }

    func drop(_ id: ConnectionID) {
        outboxes[id]?.detach()
        carryOut(conference.drop(id, now: now))
    }

    /// Resumes after the last event that the client received; its outbox replays the rest.
    func resume(_ id: ConnectionID) throws(SignalingError) {
        let effects = try conference.resume(id, now: now).get()
        do throws(SignalingError) {
            _ = try outboxes[id]?.resume(lastEvent: clients[id]?.lastSeq ?? 0)
        } catch {
            carryOut(effects)
            carryOut(conference.disconnect(id, reason: .networkLost, now: now))
            throw error
        }
        carryOut(effects)
    }

    func pass(_ time: MediaTime) {
        now += time
        carryOut(conference.handleTimeout(now: now))
        if movesDue.map({ $0 <= now }) == true { movesDue = nil }
    }

    // MARK: effects

    func carryOut(_ effects: [Effect]) {
        lastEffects = effects
        for effect in effects {
            if ended != nil { faults.append("effect after the end: \(effect)") }
            checkLocations(before: effect)
            switch effect {
            case .send(let connection, let event): enqueue(event, for: connection)
            case .broadcast(let audience, let event): for connection in audience { enqueue(event, for: connection) }
            case .close(let connection, let reason):
                if closed[connection] != nil { faults.append("closed twice: \(connection)") }
                closed[connection] = reason
            case .media(let command):
                plane.apply(command)
                if case .relocate = command { movesDue = movesDue ?? now + conference.limits.moveSharing }
            case .push(.start(let id, _)): pushes.insert(id)
            case .push(.stop(let id)):
                if pushes.remove(id) == nil { faults.append("stopped twice: \(id)") }
            case .hook(let hook): hooks.append(hook)
            case .ended(let reason): ended = reason
            }
        }
    }

    /// Checks that no event is sent while the media plane still forwards media across subsessions.
    private func checkLocations(before effect: Effect) {
        switch effect {
        case .media, .push, .hook, .ended: return
        case .broadcast(_, .subsessionsChanged(let body)): if body.change == .stopped { movesDue = nil }
        case .send, .broadcast, .close: break
        }
        guard conference.subsessionStatus == .started || !plane.locations.isEmpty else { return }
        for user in conference.users where plane.locations[user.id] ?? .mainSession != conference.location(of: user.id)
        {
            faults.append("\(effect) before \(user.id) was placed")
        }
    }

    private func enqueue(_ event: Event, for connection: ConnectionID) {
        eventsTold += 1
        if closed[connection] != nil { faults.append("\(event.name) to \(connection), which is closed") }
        check(event, for: connection)
        guard outboxes[connection] != nil else { return faults.append("\(event.name) to a stranger: \(connection)") }
        do throws(Outbox<Event>.Overflow) {
            try outboxes[connection]?.append(event, bytes: 100)
        } catch {
            faults.append("overflow of \(connection)")
        }
    }

    /// Checks that events of one location do not reach participants elsewhere.
    private func check(_ event: Event, for connection: ConnectionID) {
        let location = conference.location(of: connection)
        switch event {
        case .chat(let body):
            if conference.location(of: body.from) != location || body.subsession != location.subsession {
                faults.append("chat from \(body.subsession?.rawValue ?? "the main session") in \(location)")
            }
        case .broadcast(let body):
            if location == .mainSession || conference.location(of: body.from) != .mainSession {
                faults.append("a broadcast in \(location)")
            }
        case .activeSpeaker(let body):
            let owner = body.stream.flatMap { conference.stream($0) }?.connection
            if let owner, conference.location(of: owner) != location {
                faults.append("a speaker of elsewhere in \(location)")
            }
        case .subscriptionChanged(let body):
            let owner = conference.stream(body.stream)?.connection
            if body.state == .resumed, owner.map({ conference.location(of: $0) }) != location {
                faults.append("resumed with a stream of elsewhere")
            }
        default: break
        }
    }

    /// Delivers up to `limit` queued events to a client.
    func deliver(_ connection: ConnectionID, limit: Int = .max) {
        var left = limit
        while left > 0, let item = outboxes[connection]?.next() {
            clients[connection]?.receive(item.seq, item.payload)
            left -= 1
        }
    }

    /// Drops up to `count` queued events, as if they were written to a socket and never received.
    func lose(_ connection: ConnectionID, count: Int) {
        for _ in 0..<count where outboxes[connection]?.next() == nil { return }
    }

    func deliverAll() { for connection in outboxes.keys { deliver(connection) } }

    /// Returns all events that a client has received, after delivering the queued ones.
    func events(_ connection: ConnectionID) -> [Event] {
        deliver(connection)
        return clients[connection]?.events ?? []
    }

    func names(_ connection: ConnectionID) -> [EventName] { events(connection).map(\.name) }

    /// Returns the events since the last call.
    func newEvents(_ connection: ConnectionID) -> [Event] {
        deliver(connection)
        defer { clients[connection]?.events = [] }
        return clients[connection]?.events ?? []
    }

    func forgetEvents() { for connection in clients.keys { _ = newEvents(connection) } }

    func allFaults() -> [String] { faults + plane.faults + clients.values.flatMap(\.faults) }
}

extension Effect {
    /// Whether this is the failure event that one of the four requests for the list sends to its sender.
    func isFailure(of request: any RequestBody, to sender: ConnectionID) -> Bool {
        guard case .send(sender, .subsessionsChanged(let body)) = self else { return false }
        return switch request {
        case is CommitSubsessionsRequest: body.change == .commitFailed
        case is WithdrawSubsessionsRequest: body.change == .withdrawFailed
        case is StartSubsessionsRequest: body.change == .startFailed
        case is StopSubsessionsRequest: body.change == .stopFailed
        default: false
        }
    }
}

extension RequestBody {
    /// Whether the request can move its sender to another location.
    var movesSender: Bool {
        switch self {
        case is JoinSubsessionRequest, is ReturnToMainSessionRequest, is AnswerHelpRequest: true
        default: false
        }
    }
}

extension Capabilities {
    static let publisher = Capabilities(canPublish: true)
    static let subscriber = Capabilities(canPublish: false)
    static let hostCapable = Capabilities(canPublish: true, canHost: true)
    static let moderator = Capabilities(canPublish: true, canForceMute: true, canForceDisconnect: true)
    static let all = Capabilities(
        canPublish: true, canSubscribe: true, canForceMute: true, canForceDisconnect: true, canHost: true)
}
