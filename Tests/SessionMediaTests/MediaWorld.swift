import Conference
import MediaBase
import MillraceTestKit
import SDP
import SessionTestKit
import Signaling

@testable import SessionMedia

/// One session: rules, media, a model engine and model clients. Carries out all outputs, and records every fault.
final class MediaWorld {
    struct Client {
        var certificate: UInt8 = 2
        var credentials: ICECredentials
        /// Offer that the client has not answered.
        var offer: OfferMade?
        var streams: [StreamID] = []
    }

    /// Request that waits for an answer.
    enum Request {
        case muted(Set<MutedTrack>)
        case move(ConnectionID, JoinSubsessionRequest?)
        case publish(ConnectionID)
        case visit(MediaVisitor)
        case other
    }

    var conference: Conference
    var media: SessionMedia
    var engine: ModelEngine
    var now = MediaTime.zero
    var clients: [ConnectionID: Client] = [:]
    var open: [MediaRequestID: Request] = [:]
    var answered = 0
    /// Answers to requests, by request.
    var refusals: [MediaRequestID: MediaRefusal] = [:]
    var successes: [String: Int] = [:]
    var leases: Set<PeerID> = []
    /// Further peers are refused at once, before their order reaches the engine.
    var maximumPeers = Int.max
    /// Offers that clients have received, and events for `Conference`.
    var offers = 0
    var reports: [MediaEvent] = []
    var faults: [String] = []
    private var requests: UInt64 = 0
    private var counter = 0

    init(seed: UInt64 = 1) throws {
        conference = try Conference(
            id: SessionID(rawValue: "s"), app: "app", name: "room", limits: ConferenceLimits(), now: .zero, wallClock: 0
        )
        media = SessionMedia(maximumSubscriptions: 20, random: SeededGenerator(seed: seed))
        media.savesSubscribers = true
        engine = ModelEngine(seed: seed)
    }

    func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    // MARK: requests

    func join(_ capabilities: Capabilities) -> ConnectionID? {
        let id = ConnectionID(rawValue: fresh("c"))
        let admission = Admission(connection: id, resumeToken: "t\(id)", name: "n", capabilities: capabilities)
        guard case .success(let join) = conference.join(admission, now: now, wallClock: 0) else { return nil }
        media.join(id)
        clients[id] = Client(credentials: .random(using: &engine.random))
        perform(join.effects)
        return id
    }

    func leave(_ id: ConnectionID) { perform(conference.disconnect(id, reason: .left, now: now)) }

    func begin(_ request: Request) -> MediaRequestID {
        requests += 1
        let id = MediaRequestID(rawValue: requests)
        open[id] = request
        return id
    }

    /// Makes a request that the rules carry out, as `SessionCore` does.
    @discardableResult
    func request<Body: RequestBody>(_ body: Body, _ sender: ConnectionID) -> SignalingError? {
        let ticket = media.lastTicket
        let reply = conference.request(body, from: sender, now: now, wallClock: 0)
        perform(reply.effects)
        guard case .success = reply.result else {
            if case .failure(let error) = reply.result { return error }
            return nil
        }
        let muted = reply.effects.compactMap { effect in
            if case .media(.setMuted(let stream, let kind, true)) = effect {
                MutedTrack(stream: stream, kind: kind)
            } else {
                nil
            }
        }
        media.answer(begin(muted.isEmpty ? .other : .muted(Set(muted))), of: sender, after: ticket)
        drain()
        return nil
    }

    func move<Body: RequestBody>(_ body: Body, _ id: ConnectionID) {
        guard let location = conference.destination(of: body, from: id, now: now) else { return }
        media.move(id, to: location, begin(.move(id, body as? JoinSubsessionRequest)))
        drain()
    }

    /// - Parameters:
    ///   - keeping, new: earlier streams that continue, and types of new ones.
    ///   - isEncrypted: the new streams are encrypted end to end.
    func publish(_ id: ConnectionID, keeping: [StreamID], new: [VideoType], isEncrypted: Bool? = nil) {
        guard let client = clients[id] else { return }
        var tracks: [TrackDescription] = []
        var streams: [PublishRequest.Stream] = []
        func add(_ kind: MediaKind) -> String {
            var track = TrackDescription.offered(kind, encodings: [TrackDescription.Encoding()])
            if let mid = MID("\(tracks.count)") { track.mid = mid }
            if kind == .audio { track.codecs[0].redPayloadType = PayloadType(63) }
            tracks.append(track)
            return track.mid.rawValue
        }
        for stream in keeping {
            guard let origin = conference.origin(of: stream) else { continue }
            let audio = engine.random.below(4) > 0 ? add(.audio) : nil
            streams.append(
                PublishRequest.Stream(
                    id: stream, name: "s", videoType: origin.videoType, audioMid: audio, videoMid: add(.video)))
        }
        for type in new {
            streams.append(
                PublishRequest.Stream(
                    name: "s", videoType: type, audioMid: add(.audio), videoMid: add(.video), isEncrypted: isEncrypted))
        }
        if tracks.isEmpty { _ = add(.audio) }
        let maker = OfferMaker(credentials: client.credentials, fingerprint: fingerprint(client.certificate))
        let request = PublishRequest(sdp: maker.publish(tracks).text, streams: streams)
        media.publish(request, of: id, takesKeys: false, videoCodecs: [.vp8], begin(.publish(id)))
        drain()
    }

    /// - Parameter isTrusted: whether it may take over the stream of another trusted publisher.
    @discardableResult
    func visit(
        _ purpose: MediaVisitor.Purpose, isPlain: Bool = false, isTrusted: Bool = true
    ) -> (visitor: MediaVisitor, request: MediaRequestID) {
        let visitor = MediaVisitor(
            connection: ConnectionID(rawValue: fresh("v")), purpose: purpose, isPlain: isPlain)
        let request = begin(.visit(visitor))
        do throws(SignalingError) {
            let holder = try media.holder(for: visitor)
            open(visitor, request, holder, takingOver: try admit(visitor, isTrusted: isTrusted, holder))
        } catch {
            done(request, .error(error))
        }
        drain()
        return (visitor, request)
    }

    /// Peers of clients without a control connection.
    var visitingPeers: [PeerID] {
        media.peers.filter { media.visitingSubscribers[$0.value] != nil || media.members[$0.value]?.visitor != nil }
            .map(\.key)
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// Closes the transport of a client without a control connection, as its endpoint does.
    func close(_ peer: PeerID) {
        engine.end(peer)
        media.left(peer)
        drain()
    }

    /// Answers the relay's offer.
    func answer(_ id: ConnectionID, refusing: Int = 0, certificate: UInt8 = 9, revision: Int? = nil) {
        guard let made = clients[id]?.offer, let credentials = clients[id]?.credentials else { return }
        clients[id]?.offer = nil
        // Without a section in use there is nothing that describes a transport.
        guard
            let offer = try? Offer(
                SessionDescription(parsing: Array(made.sdp.utf8), limits: .subscription), answererIsLite: false)
        else { return }
        let tracks = (try? offer.subscribable([.vp8])) ?? []
        let own = RelayDescription(
            credentials: credentials, fingerprint: fingerprint(certificate), setup: .active, candidates: [],
            isLite: false)
        let taken = tracks.dropLast(refusing).map { AnsweredTrack.receive($0) }
        let text = offer.answer(own, tracks: Array(taken), keepsOthers: true).text
        media.answer(
            AnswerRequest(revision: revision ?? made.revision, sdp: text), of: id, begin(.other))
        drain()
    }

    // MARK: engine

    func deliver(_ i: Int) {
        guard engine.answers.indices.contains(i) else { return }
        let (ticket, answer) = engine.answers.remove(at: i)
        if media.tickets[ticket]?.purpose.opensPeer == true {
            if case .success(let answer) = answer, let peer = answer.peer { leases.insert(peer) }
        }
        media.settle(ticket, answer, now: now)
        // A repeated answer has no effect.
        if case .success = answer {
            media.settle(ticket, .failure(MediaFailure(.other, SignalingError(.internalError))), now: now)
        }
        drain()
    }

    func deliverEvent(_ i: Int) {
        guard engine.events.indices.contains(i) else { return }
        switch engine.events.remove(at: i) {
        case .began(let stream, let peer): media.began(stream, by: peer)
        case .closed(let stream, let peer): media.closed(stream, by: peer)
        case .gone(let peer): media.gone(peer)
        }
        drain()
    }

    func pass(_ time: MediaTime) {
        now += time
        media.handleTimeout(now: now)
        perform(conference.handleTimeout(now: now))
    }

    /// Runs everything until nothing is left to do.
    func settle() {
        for _ in 0..<10_000 {
            drain()
            if !engine.mailbox.isEmpty {
                engine.run()
            } else if !engine.answers.isEmpty {
                deliver(0)
            } else if !engine.events.isEmpty {
                deliverEvent(0)
            } else if media.deadline != .never {
                pass(max(media.deadline - now, .zero))
            } else {
                return
            }
        }
        faults.append("the session does not come to rest")
    }

    // MARK: outputs

    func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .media(let command):
                media.command(command)
                carryOutOrders()
            case .close(let id, _):
                media.leave(id)
                clients[id] = nil
                carryOutOrders()
            case .send, .broadcast, .push, .hook, .ended: break
            }
        }
        drain()
    }

    private func carryOutOrders() {
        for (ticket, order) in media.takeOrders() {
            switch order {
            case .openPublisher, .openSubscriber:
                guard leases.count < maximumPeers else {
                    let error = SignalingError(.limitReached, limit: "limit.transportsPerToken")
                    media.settle(ticket, .failure(MediaFailure(.other, error)), now: now)
                    continue
                }
            default: break
            }
            engine.mailbox.append((ticket, order))
        }
    }

    private var isDraining = false

    func drain() {
        carryOutOrders()
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        while true {
            let outputs = media.takeOutputs(now: now)
            if outputs.isEmpty, !media.hasOrders { return }
            carryOutOrders()
            for output in outputs { carryOut(output) }
        }
    }

    private func carryOut(_ output: MediaOutput) {
        switch output {
        case .handle(let event):
            reports.append(event)
            perform(conference.media(event, now: now, wallClock: 0))
        case .offer(let id, let offer):
            offers += 1
            checkLocation(of: id, "an offer to \(id)")
            clients[id]?.offer = offer
        case .done(let id, let refusal): done(id, refusal)
        case .prepare(let request, let id, let streams):
            let ids = streams.map { _ in StreamID(rawValue: fresh("s")) }
            media.prepared(request, of: id, conference.preparePublish(streams, from: id, newIDs: ids), now: now)
        case .confirm(let request, let plan):
            let ticket = media.lastTicket
            perform(conference.confirmPublish(plan))
            media.confirmed(request, of: plan.connection, after: ticket)
        case .cancel(let plan): perform(conference.cancelPublish(plan))
        case .published(let id, let result): published(id, result)
        case .negotiated(let peer, _):
            // A relay takes any later call for a change that is under way.
            if let id = media.client(of: peer), media.members[id]?.operation != nil {
                faults.append("\(peer) is saved during a change")
            }
        case .ended(let peer): if leases.remove(peer) == nil { faults.append("\(peer) ended twice") }
        }
    }

    /// - Returns: name of the stream that a publisher takes over.
    private func admit(
        _ visitor: MediaVisitor, isTrusted: Bool, _ holder: ConnectionID?
    ) throws(SignalingError) -> String? {
        var name = ""
        if case .publish(let stream, _) = visitor.purpose { name = stream.rawValue }
        let admission = Admission(
            connection: visitor.connection, name: name, kind: .publisher,
            capabilities: Capabilities(canPublish: visitor.isPublisher), isTrusted: isTrusted)
        if let holder {
            perform(try conference.takeOver(holder, by: admission).get())
            return name
        }
        if visitor.isPublisher {
            perform(try conference.join(admission, now: now, wallClock: 0).get().effects)
        } else {
            try conference.admitVisitingSubscriber(admission).get()
        }
        return nil
    }

    private func open(
        _ visitor: MediaVisitor, _ request: MediaRequestID, _ holder: ConnectionID?, takingOver name: String?
    ) {
        guard let stream = visitor.stream(takenOver: name) else { return media.open(visitor, request, now: now) }
        let ids = name == nil ? [StreamID(rawValue: stream.name)] : []
        let plan = conference.preparePublish([stream], from: holder ?? visitor.connection, newIDs: ids)
        media.open(visitor, request, replacing: holder, plan, now: now)
    }

    private func take(_ id: MediaRequestID) -> Request? {
        let request = open.removeValue(forKey: id)
        if request == nil { faults.append("request \(id.rawValue) was answered twice") }
        answered += 1
        return request
    }

    private func done(_ id: MediaRequestID, _ refusal: MediaRefusal?) {
        guard let request = take(id) else { return }
        var refusal = refusal
        // As `SessionCore` does: a stream that is yet to begin starts in the state that the rules have.
        if case .noStream(let stream)? = refusal, conference.isPublished(stream) { refusal = nil }
        if let refusal { refusals[id] = refusal }
        switch request {
        case .muted(let tracks): if refusal == nil { for track in tracks { checkMute(of: track) } }
        case .move(let client, let body):
            if refusal == nil { checkLocation(of: client, "the move of \(client)") }
            let moved =
                body.map { conference.request($0, from: client, now: now, wallClock: 0).effects }
                ?? conference.request(ReturnToMainSessionRequest(), from: client, now: now, wallClock: 0).effects
            media.relocate([client], to: conference.location(of: client))
            if refusal == nil { successes["move", default: 0] += 1 }
            perform(moved)
        case .visit(let visitor):
            guard refusal == nil else { return }
            successes["\(visitor.isPlain ? "plain" : "WebRTC") \(visitor.isPublisher)", default: 0] += 1
            guard case .publish(let stream, _) = visitor.purpose else { return }
            checkMutes(of: stream)
        case .publish, .other: if refusal == nil { successes["other", default: 0] += 1 }
        }
    }

    private func published(_ id: MediaRequestID, _ result: Result<PublishRequest.Answer, MediaRefusal>) {
        guard case .publish(let client) = take(id) else { return faults.append("not a publish request") }
        switch result {
        case .failure(let refusal): refusals[id] = refusal
        case .success(let answer):
            successes["publish", default: 0] += 1
            clients[client]?.streams = answer.streams
            checkLocation(of: client, "the answer to a publish request of \(client)")
            for stream in answer.streams { checkMutes(of: stream) }
        }
    }
}
