import Cluster
import Conference
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Signaling

@testable import ControlServer
@testable import SessionMedia

/// Home relay and edges of one session: `ClusterMedia`, models of the relays' engines, and links that are slow, each in its own way.
final class ClusterWorld {
    enum Arrival {
        case call(MediaCallID, MediaRelay, MediaCall)
        case answer(MediaCallID, MediaRelay, Result<MediaCallAnswer, EngineError>)
        case changed(MediaRelay)
    }

    static let edges = ["b", "c"].map { RelayIdentity(id: RelayID(rawValue: $0), incarnation: 1) }

    var media = ClusterMedia()
    /// Relays other than the home relay.
    var others = ClusterWorld.edges
    /// Media that the calls of home relays have opened at the other relays.
    var opened: [MediaRelay: OpenedMedia] = [:]
    /// Whether no client has left when its media is adopted.
    var adoptsAll = false
    var relays: [MediaRelay: RelayModel] = [:]
    /// Relays that no longer answer.
    var silent: Set<MediaRelay> = []
    var now = MediaTime.zero
    var random: SeededGenerator
    var arrivals: [(at: MediaTime, order: Int, Arrival)] = []
    /// Latest arrival at each relay of what must arrive in order.
    var latest: [MediaRelay: MediaTime] = [:]
    private var counter = 0
    private var ticket: UInt64 = 0
    /// Orders without an outcome.
    var open: [MediaTicket: MediaOrder] = [:]
    /// Peers that the home relay knows.
    var peers: [PeerID: (relay: MediaRelay, streams: [StreamID])] = [:]
    var lost: [RelayIdentity] = []
    var released: [RelayIdentity] = []
    var refusals: [EngineError] = []
    var faults: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        relays[.home] = RelayModel(name: "home", seed: seed)
        for edge in Self.edges { relays[.edge(edge)] = RelayModel(name: edge.id.rawValue, seed: seed) }
    }

    var all: [MediaRelay] { [.home] + others.map { .edge($0) } }

    // MARK: orders

    func order(_ order: MediaOrder, at relay: MediaRelay = .home) {
        ticket += 1
        open[MediaTicket(rawValue: ticket)] = order
        media.order(MediaTicket(rawValue: ticket), order, at: relay, now: now)
        carryOut()
    }

    func publish(_ streams: [StreamID], at relay: MediaRelay) {
        order(.openPublisher(ConnectionID(rawValue: "c"), description(), sections(streams)), at: relay)
    }

    func update(_ peer: PeerID, _ streams: [StreamID]) {
        order(.updatePublisher(peer, description(), sections(streams)))
    }

    private func sections(_ streams: [StreamID]) -> [PublishSection] {
        let track = TrackDescription.offered(.audio, encodings: [])
        return streams.map { PublishSection(stream: $0, track: track, startsMuted: false, isEncrypted: false) }
    }

    func subscribe(at relay: MediaRelay) {
        order(.openSubscriber(ConnectionID(rawValue: "c"), isNative: false), at: relay)
    }

    /// Lets a client without a control connection publish a stream.
    func visit(publishing stream: StreamID, at relay: MediaRelay) {
        let visitor = MediaVisitor(
            connection: ConnectionID(rawValue: "v"), purpose: .publish(stream, [.audio]), isPlain: false)
        order(.openVisitor(MediaRequestID(rawValue: ticket), visitor), at: relay)
    }

    /// Lets a client without a control connection subscribe to a stream.
    func visit(wanting stream: StreamID, at relay: MediaRelay) {
        let visitor = MediaVisitor(
            connection: ConnectionID(rawValue: "v"), purpose: .subscribe, wanted: stream, isPlain: false)
        order(.openVisitor(MediaRequestID(rawValue: ticket), visitor), at: relay)
    }

    func close(_ peer: PeerID) {
        peers[peer] = nil
        order(.closePeer(peer, isPlain: false))
    }

    /// Gives the relay of a subscriber the state of its negotiation.
    func keep(_ negotiation: SavedNegotiation, of peer: PeerID) {
        media.keep(negotiation, of: peer, now: now)
        carryOut()
    }

    /// Ends a peer without an order.
    func end(_ peer: PeerID) {
        peers[peer] = nil
        media.ended(peer, now: now)
        carryOut()
    }

    private func description() -> PeerDescription {
        PeerDescription(credentials: .random(using: &random), fingerprints: [], setup: .active)
    }

    // MARK: time

    func carryOut() {
        while case let outputs = media.takeOutputs(), !outputs.isEmpty {
            for output in outputs { carryOut(output) }
        }
    }

    private func carryOut(_ output: ClusterMedia.Output) {
        switch output {
        case .call(let id, let relay, let call):
            // Calls are sent in order, and those that wait for others run in any order.
            let isOrdered = if case .order(let order) = call { order.stopsMedia } else { false }
            let sent = max(now + .microseconds(Int64(random.below(3_000))), latest[relay] ?? .zero)
            latest[relay] = sent
            add(.call(id, relay, call), at: sent + (isOrdered ? .zero : .microseconds(Int64(random.below(2_000)))))
        case .settled(let ticket, let order, let result): settled(ticket, order, result)
        case .lost(let edge, let ended):
            lost.append(edge)
            for peer in ended { peers[peer] = nil }
        case .release(let edge): released.append(edge)
        case .inventory(let relay, let inventory): adopt(inventory, at: relay)
        }
    }

    private func add(_ arrival: Arrival, at time: MediaTime) {
        counter += 1
        arrivals.append((time, counter, arrival))
    }

    /// Runs what is due until a time.
    func run(until end: MediaTime) {
        while true {
            let next = arrivals.indices.min {
                (arrivals[$0].at, arrivals[$0].order) < (arrivals[$1].at, arrivals[$1].order)
            }
            let time = min(next.map { arrivals[$0].at } ?? .never, media.deadline)
            guard time <= end else { break }
            now = max(now, time)
            if let next, arrivals[next].at <= now {
                handle(arrivals.remove(at: next).2)
            } else {
                media.handleTimeout(now: now)
            }
            carryOut()
            if faults.isEmpty { checkLocations() }
        }
        now = end
    }

    func run(for time: MediaTime) { run(until: now + time) }

    private func handle(_ arrival: Arrival) {
        switch arrival {
        case .call(let id, let relay, let call):
            guard !silent.contains(relay), let result = run(call, at: relay) else { return }
            add(.answer(id, relay, result), at: now + .microseconds(Int64(random.below(3_000))))
            let reports = relays[relay]?.reports ?? 0
            relays[relay]?.reports = 0
            for _ in 0..<reports { add(.changed(relay), at: now + .microseconds(Int64(random.below(3_000)))) }
        case .answer(let id, let relay, let result):
            guard !silent.contains(relay) else { return }
            media.answered(id, result, by: relay, now: now)
        case .changed(let relay): media.streamsChanged(at: relay, now: now)
        }
    }

    // MARK: checks

    private func settled(_ ticket: MediaTicket, _ order: MediaOrder, _ result: Result<MediaAnswer, EngineError>) {
        guard open.removeValue(forKey: ticket) != nil else { return faults.append("\(order) is settled twice") }
        switch result {
        case .failure(let error): refusals.append(error)
        case .success(let answer):
            if let peer = answer.peer { peers[peer] = (media.relay(of: peer), order.publishedStreams) }
            if case .setMuted(let stream, _, true) = order { checkMute(of: stream) }
        }
    }

    /// Checks that no relay forwards a stream whose mute was settled, unless it was unmuted since.
    private func checkMute(of stream: StreamID) {
        let isChanging = open.values.contains { if case .setMuted(stream, _, _) = $0 { true } else { false } }
        guard !isChanging else { return }
        for (relay, model) in relays where !silent.contains(relay) {
            for receiver in model.receivers.values {
                guard let origin = origin(of: receiver), origin.muted.contains(stream.rawValue),
                    let mirror = receiver.mirrors[stream.rawValue], mirror.number == origin.numbers[stream.rawValue],
                    !mirror.isMuted, !mirror.isWithheld
                else { continue }
                faults.append("\(stream) is forwarded at \(model.name), and its mute was settled")
            }
        }
    }

    /// Checks that no relay forwards a stream in a subsession that its publisher has left.
    private func checkLocations() {
        for (relay, model) in relays where !silent.contains(relay) {
            for receiver in model.receivers.values {
                guard let origin = origin(of: receiver) else { continue }
                for (stream, mirror) in receiver.mirrors where !mirror.isWithheld {
                    // A stream that was published again has another track, which the pipe does not carry yet.
                    guard origin.numbers[stream] == mirror.number, let there = origin.subsession(of: stream),
                        there != mirror.subsession
                    else { continue }
                    faults.append("\(stream) of \"\(there)\" is forwarded in \"\(mirror.subsession)\" at \(model.name)")
                }
            }
        }
    }

    /// Returns the relay that feeds a receiving end, if it still answers.
    private func origin(of receiver: RelayModel.Receiver) -> RelayModel? {
        guard let sender = receiver.sender else { return nil }
        return relays.first { relay, model in !silent.contains(relay) && model.senders[sender] != nil }?.value
    }

    /// Checks that each relay that needs the streams of the others has them as they are.
    func checkMirrors() {
        let edges = all.filter { relay in relay != .home && peers.values.contains { $0.relay == relay } }
        for relay in all where !silent.contains(relay) {
            guard let model = relays[relay] else { continue }
            let isReceiver =
                relay == .home ? !edges.isEmpty : model.peers.values.contains { !$0.isPublisher }
            let mirrors = model.receivers.values.flatMap(\.mirrors)
            let expected = all.filter { $0 != relay }.reduce(into: Set<String>()) {
                $0.formUnion(silent.contains($1) ? [] : relays[$1]?.streams ?? [])
            }
            let present = Set(mirrors.map(\.key))
            if present != (isReceiver ? expected : []) || mirrors.count != present.count {
                faults.append("\(model.name) mirrors \(present.sorted()), not \(expected.sorted())")
            }
            for (stream, mirror) in mirrors {
                guard let origin = relays.values.first(where: { $0.streams.contains(stream) }) else { continue }
                if mirror.isMuted != origin.muted.contains(stream) {
                    faults.append("mute of \(stream) at \(model.name)")
                }
                if mirror.isWithheld { faults.append("\(stream) is withheld at \(model.name)") }
            }
            let requested = Set(model.receivers.values.compactMap(\.sender))
            for (id, tracks) in model.senders where requested.contains(id) || !tracks.isEmpty {
                if tracks.count != model.streams.count { faults.append("\(id) sends \(tracks.count) tracks") }
            }
        }
    }
}
