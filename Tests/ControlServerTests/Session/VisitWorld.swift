import Cluster
import Conference
import Foundation
import Logging
import MediaBase
import MediaEngine
import MillraceTestKit
import NIOConcurrencyHelpers
import SDP
import SessionMedia
import SessionTestKit
import Signaling

@testable import ControlServer

/// Session of a home relay whose clients without a control connection ask that relay or others, in virtual time: its `SessionCore`, and models of
/// the relays' engines, which answer at once and in order.
final class VisitWorld {
    /// Admission of a client, and its outcome.
    final class Admission {
        /// Transport that another relay has opened; nil: it opened at the home relay, or not at all.
        var transport: TransportID? { opened.withLockedValue { $0 } }
        let opened = NIOLockedValueBox<TransportID?>(nil)
        var result: Result<Bool, any Error>?

        var isOpen: Bool { (try? result?.get()) == true }
        var error: EngineError? {
            if case .failure(let error)? = result { error as? EngineError } else { nil }
        }
    }

    private enum Arrival {
        case reply(MediaLinkReply, RelayIdentity)
        case answer(MediaCallID, MediaCallResult)
        case event(StreamEvent)
        case saved
    }

    static let edges = ClusterWorld.edges

    let core: SessionCore
    var now = MediaTime.seconds(1)
    var relays: [MediaRelay: RelayModel] = [:]
    /// Relays that do not answer.
    var silent: Set<RelayIdentity> = []
    /// Whether media may open at other relays.
    let mayLink = NIOLockedValueBox(true)
    /// Replaces answers of other relays to offers.
    var changeAnswer: ((inout WebRTCAnswer) -> Void)?
    private(set) var endedLinks: [RelayIdentity] = []
    private var arrivals: [Arrival] = []
    private var random = SeededGenerator(seed: 5)
    private var counter = 0

    init() throws {
        let configuration = ConnectConfiguration()
        let tenure = SessionTenure(home: RelayIdentity(id: RelayID(rawValue: "a"), incarnation: 1), term: 1)
        let cluster = SessionContext.Cluster(
            tenure: { _ in tenure }, standing: { (true, false) },
            mayLink: { [mayLink] _ in mayLink.withLockedValue { $0 } })
        let context = SessionContext(
            shared: NIOLockedValueBox(configuration), statistics: ControlStatistics(), iceServers: [],
            passwords: PasswordGuard(perMinute: configuration.wrongPasswordsPerMinute),
            reports: ReportGuard(interval: configuration.issueInterval), journal: nil,
            resources: ResourceAccounts(limits: configuration.resources), cluster: cluster)
        let key = try SessionKey(app: "app", name: "session")
        let conference = try Conference(
            id: SessionID(rawValue: "s"), app: key.app, name: key.name, limits: configuration.conference, now: .zero,
            wallClock: 0)
        core = SessionCore(
            conference, key: key, context: context, time: SessionTime(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, random: SeededGenerator(seed: 5))
        relays[.home] = RelayModel(name: "home", seed: 5)
        for (index, edge) in Self.edges.enumerated() {
            relays[.edge(edge)] = RelayModel(name: "edge\(index)", seed: UInt64(6 + index))
        }
    }

    // MARK: turns

    /// Runs a turn of the core, and all that follows.
    @discardableResult
    func turn<R>(_ body: (SessionCore) -> R) -> R {
        core.time = SessionTime(now: now, wall: now.rawValue / 1_000_000)
        let result = body(core)
        carryOut()
        while !arrivals.isEmpty {
            switch arrivals.removeFirst() {
            case .reply(let reply, let edge): core.received(reply, from: edge)
            case .answer(let id, let result): core.answered(id, result, by: .home)
            case .event(let event): core.heard(event, from: .home)
            case .saved: core.saved(.saved)
            }
            carryOut()
        }
        return result
    }

    private func carryOut() {
        core.passOutputs { output in
            switch output {
            case .call(let id, let relay, let call): carryOut(id, call, at: relay)
            case .endLink(let edge): endedLinks.append(edge)
            case .save: arrivals.append(.saved)
            default: break
            }
        }
    }

    private func carryOut(_ id: MediaCallID, _ call: MediaCall, at relay: MediaRelay) {
        if case .edge(let edge) = relay, silent.contains(edge) { return }
        guard var result = relays[relay]?.run(call) else { return }
        if case .success(.opened(var answer)) = result {
            changeAnswer?(&answer)
            result = .success(.opened(answer))
        }
        let reports = relays[relay]?.reports ?? 0
        relays[relay]?.reports = 0
        switch relay {
        case .home: arrivals.append(.answer(id, result))
        case .edge(let edge):
            let reply: MediaLinkReply =
                switch result {
                case .success(let answer): .answered(id, answer)
                case .failure(let error): .failed(id, error)
                }
            arrivals.append(.reply(reply, edge))
        }
        let event = StreamEvent.pipedStreamsChanged(session: core.engineName)
        for _ in 0..<reports {
            if case .edge(let edge) = relay {
                arrivals.append(.reply(.event(event), edge))
            } else {
                arrivals.append(.event(event))
            }
        }
    }

    /// Lets time pass.
    func pass(_ time: MediaTime) {
        let end = now + time
        while core.deadline <= end {
            now = max(now, core.deadline)
            turn { $0.handleTimeout() }
        }
        now = end
    }

    // MARK: clients

    /// Lets a client publish a stream.
    func publish(_ stream: String, at edge: RelayIdentity?, isPlain: Bool = false) -> Admission {
        visit(.publish(StreamID(rawValue: stream), [.audio]), stream, at: edge, isPlain: isPlain)
    }

    /// Lets a client subscribe to a stream.
    func view(_ stream: String, at edge: RelayIdentity?, isPlain: Bool = false) -> Admission {
        visit(.subscribe, stream, at: edge, isPlain: isPlain)
    }

    private func visit(
        _ purpose: MediaVisitor.Purpose, _ stream: String, at edge: RelayIdentity?, isPlain: Bool
    ) -> Admission {
        counter += 1
        let admission = Admission()
        let media = MediaVisitor(
            connection: ConnectionID(rawValue: "v\(counter)"), purpose: purpose,
            wanted: purpose == .subscribe ? StreamID(rawValue: stream) : nil, isPlain: isPlain)
        let visitor = Visitor(
            key: core.key, token: nil, isTrusted: true, password: nil, address: "192.0.2.1", relay: edge)
        let calls = (plain: plainCall(purpose, stream), webRTC: webRTCCall(purpose, stream))
        let call: @Sendable (Set<TrackKind>) -> MediaCall = { isPlain ? calls.plain : calls.webRTC($0) }
        let offer = VisitorOffer(call: call) { [opened = admission.opened] answer in
            guard let transport = answer.opened else { return nil }
            if case .opened(let answer) = answer, answer.stream != stream { return nil }
            opened.withLockedValue { $0 = transport }
            return .visitor(PeerID(transport), videoCodec: nil, kinds: nil)
        }
        let visit = Visit(visitor: visitor, media: media, offer: offer) { (_) throws(EngineError) in throw .stopped }
        turn { $0.enter(visit) { admission.result = $0 } }
        return admission
    }

    private func webRTCCall(
        _ purpose: MediaVisitor.Purpose, _ stream: String
    ) -> @Sendable (Set<TrackKind>) -> MediaCall {
        let request = WebRTCRequest(
            direction: purpose == .subscribe ? .subscribe : .publish, session: core.engineName, stream: stream,
            peer: PeerDescription(
                credentials: .random(using: &random), fingerprints: [fingerprint(1)], setup: .active),
            tracks: [.offered(.audio, encodings: [])])
        return { startsMuted in
            var request = request
            request.startsMuted = Set(startsMuted.map { MediaKind($0) })
            return .openWebRTC(request)
        }
    }

    private func plainCall(_ purpose: MediaVisitor.Purpose, _ stream: String) -> MediaCall {
        var request = PlainTransportRequest(
            direction: purpose == .subscribe ? .subscribe : .publish, session: core.engineName)
        request.stream = stream
        return .openPlain(request)
    }

    /// Returns the answer of another relay about a peer; nil if the home relay has it.
    func ask(_ call: MediaCall, of peer: PeerID) -> MediaCallResult? {
        var answer: MediaCallResult??
        turn { $0.askElsewhere(of: peer, call) { answer = .some($0) } }
        return answer ?? .failure(.stopped)
    }
}
