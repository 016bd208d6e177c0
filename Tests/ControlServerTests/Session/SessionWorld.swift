import Cluster
import Conference
import Foundation
import Logging
import MediaBase
import MillraceTestKit
import NIOConcurrencyHelpers
import NIOCore
import SDP
import SessionTestKit
import Signaling

@testable import ControlServer
@testable import MediaEngine
@testable import SessionMedia

/// Session in virtual time: its `SessionCore`, a model of the media engine and of the cluster's store that answer late, and model clients.
/// Records every fault.
final class SessionWorld {
    struct Client {
        let id: ConnectionID
        let token: String
        var channel: TestChannel
        var credentials: ICECredentials
        var lastRequest: UInt32 = 1
        /// Number of the last event that the client has read.
        var lastEvent: UInt64 = 0
        /// Request without an answer.
        var open: UInt32?
        /// Whether the request without an answer changes mutes.
        var isMuting = false
        var isLost = false
        /// Offer that the client has not answered.
        var offer: OfferMade?
        /// Newest offer that it has received on its present subscribe peer connection, with the kinds of its sections.
        var revision: Int?
        var sections: [Substring] = []
        var streams: [StreamID] = []
        /// Checked when the request in progress is answered with success.
        var whenAnswered: (() -> Void)?
    }

    let core: SessionCore
    let context: SessionContext
    var engine: ModelEngine
    /// Media that the calls to the engine have opened, as a relay that is not the home relay notes it.
    var opened = OpenedMedia()
    /// Orders to the engine.
    var issued: [MediaTicket: MediaOrder] = [:]
    var now = MediaTime.zero
    var random: SeededGenerator
    var clients: [ConnectionID: Client] = [:]
    /// Questions to the engine without an answer.
    var questions: [(id: MediaCallID, call: MediaCall)] = []
    /// Saves without a result.
    var saves: [SessionChanges] = []
    /// Whether the relay may run the rules of the session.
    let acts = NIOLockedValueBox(true)
    var issues: [OpenIssues.ID] = []
    /// Admissions without an outcome.
    var visits: Set<ConnectionID> = []
    var left = 0
    /// Number of snapshots with which a subscribe peer connection continues.
    var continued = 0
    var ends: [Bool] = []
    var answers: [String: Int] = [:]
    var refusals: [ErrorCode: Int] = [:]
    var faults: [String] = []
    private var counter = 0

    /// - Parameters:
    ///   - isInCluster: saves the state of the session.
    ///   - reservation: keeps the session before its first participant.
    ///   - lost: the session at its previous home relay, which was lost.
    init(
        seed: UInt64 = 1, isInCluster: Bool = false, reservation: Reservation? = nil,
        continuing lost: SessionWorld? = nil, adapt: (inout ConnectConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ConnectConfiguration()
        adapt(&configuration)
        let tenure = SessionTenure(home: RelayIdentity(id: RelayID(rawValue: "a"), incarnation: 1), term: 1)
        let cluster = SessionContext.Cluster(
            tenure: { [acts] _ in acts.withLockedValue { $0 } ? tenure : nil },
            standing: { [acts] in (acts.withLockedValue { $0 }, false) }, mayLink: { _ in false })
        context = SessionContext(
            shared: NIOLockedValueBox(configuration), statistics: ControlStatistics(), iceServers: [],
            passwords: PasswordGuard(perMinute: configuration.wrongPasswordsPerMinute),
            reports: ReportGuard(interval: configuration.issueInterval), journal: nil,
            resources: ResourceAccounts(limits: configuration.resources), cluster: isInCluster ? cluster : nil)
        let key = try SessionKey(app: "app", name: "session")
        let restored = try lost?.core.stored(in: context, tenure, now: .zero)
        let conference =
            try restored?.conference
            ?? Conference(
                id: SessionID(rawValue: "s"), app: key.app, name: key.name, limits: configuration.conference,
                reservation: reservation, now: .zero, wallClock: 0)
        engine = ModelEngine(seed: seed)
        random = SeededGenerator(seed: seed &* 17)
        core = SessionCore(
            conference, key: key, context: context, time: SessionTime(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, restored: restored,
            random: SeededGenerator(seed: seed))
        core.clusterMedia.keepsOwnNegotiations = isInCluster
        guard let lost else { return }
        counter = lost.counter
        for (id, client) in lost.clients {
            clients[id] = client
            clients[id]?.open = nil
            clients[id]?.isLost = true
        }
    }

    func fresh(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    // MARK: turns

    /// Runs a turn of the core, carries its outputs out, and lets the clients read.
    @discardableResult
    func turn<R>(_ body: (SessionCore) -> R) -> R {
        core.time = SessionTime(now: now, wall: now.rawValue / 1_000_000)
        let result = body(core)
        carryOut()
        for id in clients.keys.sorted(by: { $0.rawValue < $1.rawValue }) { read(id) }
        return result
    }

    private func carryOut() {
        core.passOutputs { output in
            switch output {
            case .call(let id, .home, .order(let order)):
                opened.begin(.order(order))
                issued[MediaTicket(rawValue: id.rawValue)] = order
                engine.mailbox.append((MediaTicket(rawValue: id.rawValue), order))
            case .call(let id, .home, let call):
                opened.begin(call)
                questions.append((id, call))
            case .call, .endLink, .dismiss: faults.append("\(output) without other relays")
            case .push, .hook: break
            case .save(let changes, _): saves.append(changes)
            case .keepIssue(let id, _, _): issues.append(id)
            case .left: left += 1
            case .ended(let isElsewhere): ends.append(isElsewhere)
            }
        }
    }

    // MARK: clients

    @discardableResult
    func join(_ capabilities: Capabilities = .everything) throws -> ConnectionID {
        let id = ConnectionID(rawValue: fresh("c"))
        let channel = TestChannel(address: "192.0.2.\(counter)")
        let admission = Admission(connection: id, resumeToken: "t\(id)", name: "n", capabilities: capabilities)
        clients[id] = Client(
            id: id, token: admission.resumeToken, channel: channel, credentials: .random(using: &engine.random), open: 1
        )
        let holder = ResourceHolder(address: channel.address)
        let lease = try context.resources.lease(.participants, for: holder)
        let arrival = Arrival(request: 1, at: now, program: nil, socket: channel)
        turn { core in
            core.join(admission, arrival, lease: lease) { [self] result in
                if case .failure(let error) = result {
                    refusals[error.code, default: 0] += 1
                    clients[id] = nil
                }
            }
        }
        return id
    }

    /// Makes a request, unless one of the client is in progress.
    /// - Parameter whenAnswered: runs when it is answered with success.
    func request(_ body: any RequestBody, _ id: ConnectionID, whenAnswered: (() -> Void)? = nil) {
        guard var client = clients[id], client.open == nil, !client.isLost else { return }
        client.lastRequest += 1
        let number = client.lastRequest
        client.open = number
        client.isMuting =
            body is SetMutedRequest || body is ForceMuteAllRequest || body is ForceMuteStreamRequest
            || body is DisableForceMuteRequest
        client.whenAnswered = whenAnswered
        clients[id] = client
        turn { core in
            core.request(RequestMessage(id: number, body), from: id, client.channel) { [self] _ in
                read(id)
                guard let client = clients[id], !client.isLost, client.channel.closing == nil else { return }
                if client.open == number, client.lastRequest == number {
                    faults.append("request \(number) of \(id) is over without an answer")
                }
            }
        }
    }

    func publish(_ id: ConnectionID, keeping: [StreamID] = [], new: [VideoType]) {
        guard let client = clients[id] else { return }
        var tracks: [TrackDescription] = []
        func add(_ kind: MediaKind) -> String {
            var track = TrackDescription.offered(kind, encodings: [TrackDescription.Encoding()])
            if let mid = MID("\(tracks.count)") { track.mid = mid }
            tracks.append(track)
            return track.mid.rawValue
        }
        var streams: [PublishRequest.Stream] = []
        for stream in keeping {
            guard let origin = core.conference.origin(of: stream) else { continue }
            streams.append(
                PublishRequest.Stream(
                    id: stream, name: "s", videoType: origin.videoType, audioMid: add(.audio), videoMid: add(.video)))
        }
        for type in new {
            streams.append(
                PublishRequest.Stream(name: "s", videoType: type, audioMid: add(.audio), videoMid: add(.video)))
        }
        if tracks.isEmpty { _ = add(.audio) }
        let maker = OfferMaker(credentials: client.credentials, fingerprint: fingerprint(2))
        request(PublishRequest(sdp: maker.publish(tracks).text, streams: streams), id) { [self] in
            let owned = core.media.owners.filter { $0.value == id }.map(\.key)
            clients[id]?.streams = owned.sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// Answers the relay's offer.
    func answer(_ id: ConnectionID) {
        guard let client = clients[id], client.open == nil, let made = client.offer else { return }
        clients[id]?.offer = nil
        guard
            let offer = try? Offer(
                SessionDescription(parsing: Array(made.sdp.utf8), limits: .subscription), answererIsLite: false)
        else { return }
        let own = RelayDescription(
            credentials: client.credentials, fingerprint: fingerprint(9), setup: .active, candidates: [], isLite: false)
        let tracks = (try? offer.subscribable([.vp8])) ?? []
        let text = offer.answer(own, tracks: tracks.map { .receive($0) }, keepsOthers: true).text
        request(AnswerRequest(revision: made.revision, sdp: text), id)
    }

    /// Loses the connection of a client, with all messages that it has not read.
    func lose(_ id: ConnectionID) {
        guard let client = clients[id] else { return }
        clients[id]?.isLost = true
        turn { $0.lost(id, client.channel) }
    }

    /// Connects a lost client again.
    /// - Parameter continues: whether it continues its subscribe peer connection if the relay does.
    func resume(_ id: ConnectionID, continues: Bool = true) {
        guard let client = clients[id], client.isLost else { return }
        let channel = TestChannel(address: client.channel.address)
        clients[id]?.channel = channel
        clients[id]?.isLost = false
        clients[id]?.lastRequest += 1
        let number = client.lastRequest + 1
        clients[id]?.open = number
        clients[id]?.whenAnswered = nil
        let request = ResumeRequest(
            resumeToken: client.token, lastEvent: client.lastEvent, snapshots: true,
            offer: continues ? client.revision : nil)
        let arrival = Arrival(request: number, at: now, program: nil, socket: channel)
        let result = turn { $0.resume(id, request, arrival) }
        guard case .failure(let error) = result else { return }
        refusals[error.code, default: 0] += 1
        clients[id] = nil
    }

    /// Lets a client without a control connection publish or subscribe.
    func visit(_ purpose: MediaVisitor.Purpose, isPlain: Bool) throws {
        let media = MediaVisitor(connection: ConnectionID(rawValue: fresh("v")), purpose: purpose, isPlain: isPlain)
        let visitor = Visitor(key: core.key, token: nil, isTrusted: true, password: nil, address: "192.0.2.1")
        visits.insert(media.connection)
        turn { core in
            core.enter(Visit(visitor: visitor, media: media) { (_) throws(EngineError) in throw .stopped }) {
                [self] _ in
                if visits.remove(media.connection) == nil { faults.append("\(media.connection) has two outcomes") }
            }
        }
    }

    // MARK: reading

    private struct Answer: Decodable {
        struct Failure: Decodable {
            var code: ErrorCode
        }

        var id: UInt32
        var error: Failure?
    }

    /// Answer to a resume.
    private struct Resumed: Decodable {
        struct Result: Decodable {
            struct Snapshot: Decodable {}

            var snapshot: Snapshot?
            var subscribeLost: Bool?
            var subscriptions: [StreamID]?
        }

        var result: Result?
    }

    private func read(_ id: ConnectionID) {
        guard let client = clients[id], !client.isLost else { return }
        for text in client.channel.read() { take(Data(buffer: text), id) }
        if client.channel.closing != nil { clients[id] = nil }
    }

    private func take(_ text: Data, _ id: ConnectionID) {
        guard let client = clients[id] else { return }
        if let message = try? JSONDecoder().decode(EventMessage.self, from: text) {
            if client.open == 1 {
                faults.append("\(id) gets \(message.event.name) before the answer to its join")
            }
            if message.seq != client.lastEvent + 1 {
                faults.append("\(id) gets event \(message.seq) after \(client.lastEvent)")
            }
            clients[id]?.lastEvent = message.seq
            switch message.event {
            case .offer(let offer): take(offer, id)
            case .mediaReset(let reset) where reset.subscribe: loseSubscriber(id)
            default: break
            }
        } else if let answer = try? JSONDecoder().decode(Answer.self, from: text) {
            guard client.open == answer.id else { return faults.append("\(id) gets an answer to \(answer.id) again") }
            clients[id]?.open = nil
            // A snapshot replaces all events before it.
            let resumed = (try? JSONDecoder().decode(Resumed.self, from: text))?.result
            if resumed?.snapshot != nil {
                clients[id]?.lastEvent = 0
                clients[id]?.offer = nil
            }
            if resumed?.subscribeLost == true { loseSubscriber(id) }
            if let subscriptions = resumed?.subscriptions {
                continued += 1
                if subscriptions != core.conference.subscriptions(of: id).map(\.stream) {
                    faults.append("\(id) continues other subscriptions")
                }
            }
            if let error = answer.error { return refusals[error.code, default: 0] += 1 }
            answers["\(answer.id == 1 ? "join" : "request")", default: 0] += 1
            client.whenAnswered?()
        } else {
            faults.append("\(id) cannot read a message")
        }
    }
}

/// Subscribe peer connections of clients.
extension SessionWorld {
    private func loseSubscriber(_ id: ConnectionID) {
        clients[id]?.offer = nil
        clients[id]?.revision = nil
        clients[id]?.sections = []
    }

    /// Checks that an offer continues the one before, as a browser does, and keeps it for an answer.
    private func take(_ offer: OfferMade, _ id: ConnectionID) {
        let sections = offer.sdp.split(separator: "\r\n").filter { $0.hasPrefix("m=") }.map { $0.prefix(7) }
        if let client = clients[id], let revision = client.revision {
            if offer.revision != revision, offer.revision != revision + 1 {
                faults.append("\(id) gets offer \(offer.revision) after \(revision)")
            }
            if !sections.starts(with: client.sections) {
                faults.append("offer \(offer.revision) of \(id) has other sections than the one before")
            }
        }
        clients[id]?.offer = offer
        clients[id]?.revision = offer.revision
        clients[id]?.sections = sections
    }
}

extension Capabilities {
    static let everything = Capabilities(
        canPublish: true, canSubscribe: true, canForceMute: true, canForceDisconnect: true, canHost: true)
}
