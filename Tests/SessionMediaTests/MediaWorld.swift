import Conference
import MediaBase
import MillraceTestKit
import SDP
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

    /// Makes a request that the rules carry out, as `LiveSession` does.
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
        guard let place = conference.destination(of: body, from: id, now: now) else { return }
        media.move(id, to: place, begin(.move(id, body as? JoinSubsessionRequest)))
        drain()
    }

    /// - Parameter streams: earlier streams that continue, and types of new ones.
    func publish(_ id: ConnectionID, keeping: [StreamID], new: [VideoType]) {
        guard let client = clients[id] else { return }
        var tracks: [TrackDescription] = []
        var streams: [PublishRequest.Stream] = []
        func add(_ kind: MediaKind) -> String {
            var track = TrackDescription.offered(kind, encodings: [TrackDescription.Encoding()])
            if let mid = MID("\(tracks.count)") { track.mid = mid }
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
                PublishRequest.Stream(name: "s", videoType: type, audioMid: add(.audio), videoMid: add(.video)))
        }
        if tracks.isEmpty { _ = add(.audio) }
        let maker = OfferMaker(credentials: client.credentials, fingerprint: fingerprint(client.certificate))
        let request = PublishRequest(sdp: maker.publish(tracks).text, streams: streams)
        media.publish(request, of: id, takesKeys: false, videoCodecs: [.vp8], begin(.publish(id)))
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
            switch answer {
            case .success(.publisher(let peer, _)), .success(.subscriber(let peer, _, _)): leases.insert(peer)
            default: break
            }
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
            case .send, .broadcast, .live, .hook, .ended: break
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
        case .report(let event):
            reports.append(event)
            perform(conference.media(event, now: now, wallClock: 0))
        case .offer(let id, let offer):
            offers += 1
            checkPlace(of: id, "an offer to \(id)")
            clients[id]?.offer = offer
        case .done(let id, let refusal): done(id, refusal)
        case .prepare(let request, let id, let streams):
            let ids = streams.map { _ in StreamID(rawValue: fresh("s")) }
            media.prepared(request, of: id, conference.preparePublish(streams, from: id, newIDs: ids))
        case .confirm(let request, let plan):
            let ticket = media.lastTicket
            perform(conference.confirmPublish(plan))
            media.confirmed(request, of: plan.connection, after: ticket)
        case .cancel(let plan): perform(conference.cancelPublish(plan))
        case .published(let id, let result): published(id, result)
        case .ended(let peer): if leases.remove(peer) == nil { faults.append("\(peer) ended twice") }
        }
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
        // As `LiveSession` does: a stream that is yet to begin starts in the state that the rules have.
        if case .noStream(let stream)? = refusal, conference.isPublished(stream) { refusal = nil }
        if let refusal { refusals[id] = refusal }
        switch request {
        case .muted(let tracks): if refusal == nil { for track in tracks { checkMute(of: track) } }
        case .move(let client, let body):
            if refusal == nil { checkPlace(of: client, "the move of \(client)") }
            let moved =
                body.map { conference.request($0, from: client, now: now, wallClock: 0).effects }
                ?? conference.request(ReturnToMainSessionRequest(), from: client, now: now, wallClock: 0).effects
            media.place([client], at: conference.place(of: client))
            if refusal == nil { successes["move", default: 0] += 1 }
            perform(moved)
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
            checkPlace(of: client, "the answer to a publish request of \(client)")
            for stream in answer.streams {
                for kind in conference.origin(of: stream)?.muted ?? [] {
                    checkMute(of: MutedTrack(stream: stream, kind: kind))
                }
            }
        }
    }

    // MARK: checks

    /// Checks that the engine forwards nothing of a track that a client takes for muted.
    private func checkMute(of track: MutedTrack) {
        let (stream, kind) = (track.stream, track.kind)
        // It may have been unmuted since, or muted again by a request that is not answered yet.
        let mediaKind: MediaKind = kind == .audio ? .audio : .video
        guard conference.origin(of: stream)?.muted.contains(kind) == true, let there = engine.streams[stream],
            there.kinds.contains(mediaKind)
        else { return }
        let isMutedAgain = open.values.contains {
            if case .muted(let tracks) = $0 { tracks.contains(track) } else { false }
        }
        guard !isMutedAgain else { return }
        let isPending = media.tickets.values.contains {
            if case .setMuted(stream, kind, _) = $0.order { true } else { false }
        }
        guard !isPending, !there.muted.contains(mediaKind) else { return }
        faults.append("\(stream) is not muted, and its client was told that it is")
    }

    /// Checks that the peers of a client are in the place that it is told.
    private func checkPlace(of id: ConnectionID, _ what: String) {
        for peer in media.members[id]?.peers ?? [] {
            guard let there = engine.peers[peer], !isMoving(peer) else { continue }
            if there.place != media.place(of: id) { faults.append("\(what) while \(peer) is in \(there.place)") }
        }
    }

    private func isMoving(_ peer: PeerID) -> Bool {
        media.placements.waiting[peer] != nil || engine.isMoving(peer)
            || media.tickets.values.contains {
                if case .place(let places) = $0.order { places[peer] != nil } else { false }
            }
    }

    /// Checks what holds after every step.
    func check() {
        for (id, member) in media.members {
            if conference.user(id) == nil { faults.append("\(id) has media and is not in the session") }
            for peer in member.peers {
                guard let there = engine.peers[peer], !isMoving(peer) else { continue }
                if there.place != member.place { faults.append("\(peer) of \(id) is in \(there.place)") }
            }
            let isAsking = open.values.contains { if case .move(id, _) = $0 { true } else { false } }
            if !isAsking, member.place != conference.place(of: id) { faults.append("\(id) is in another place") }
        }
        let held = Set(media.peers.keys)
        if leases != held { faults.append("leases of \(leases), peers \(held)") }
        if conference.isEnded, !media.members.isEmpty { faults.append("media after the end") }
    }
}
