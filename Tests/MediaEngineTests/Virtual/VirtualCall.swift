import DTLS
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Transport
import WebRTCClient
import WebRTCTestKit

/// A relay, a network and clients that publish and subscribe through it, all in virtual time. Offers and answers are exchanged as text, as
/// they are over HTTP.
final class VirtualCall {
    static let relayIdentity = try! DTLSIdentity.generate()
    static let clientIdentity = try! DTLSIdentity.generate()
    /// Address of the relay's first worker; each further one uses the next port.
    static let relayAddress = SocketAddress("10.0.0.1", port: 4000)!
    /// Number of the relay's workers. With more than one, the subscribers of every session are spread over them, and nothing else may change.
    static let workers = ProcessInfo.processInfo.environment["MILLRACE_TEST_WORKERS"].flatMap { Int($0) } ?? 1

    let network: VirtualNetwork
    let relay: VirtualEngine
    /// Applies to clients that are made from now on.
    var clientConsentTimeout = MediaTime.seconds(30)
    private(set) var clients: [VirtualClient] = []
    /// Number of times that a deadline has woken the relay.
    private(set) var wakeUps = 0
    private var random: SeededGenerator
    private var endpointID: VirtualNetwork.ID = 0
    private var addresses = 0
    private let host: Int
    /// Address of the first worker.
    let address: SocketAddress
    /// Addresses of plain transports, by worker.
    let plainAddresses: [SocketAddress]

    /// - Parameters:
    ///   - host: last number of the relay's address.
    ///   - other: relay whose network this one shares; nil: it has its own.
    init(
        seed: UInt64, conditions: LinkConditions = LinkConditions(delay: .milliseconds(10)), host: Int = 1,
        besides other: VirtualCall? = nil, _ change: (inout EngineConfiguration) -> Void = { _ in }
    ) throws {
        random = SeededGenerator(seed: seed)
        let network = other?.network ?? VirtualNetwork(seed: seed)
        network.conditions = conditions
        self.network = network
        self.host = host
        var configuration = EngineConfiguration()
        configuration.advertisedAddress = "10.0.0.\(host)"
        configuration.webRTC.port = 4000
        configuration.workers = Self.workers
        configuration.spreadLoad = 0
        change(&configuration)
        let addresses = (0..<configuration.workers).map { worker in
            SocketAddress("10.0.0.\(host)", port: Self.relayAddress.port + UInt16(worker))!
        }
        address = addresses[0]
        let plainPort = configuration.plainPort
        let plainAddresses = (0..<configuration.workers).map { worker in
            SocketAddress("10.0.0.\(host)", port: plainPort + UInt16(2 * worker))!
        }
        self.plainAddresses = plainAddresses
        relay = try VirtualEngine(configuration: configuration, identity: Self.relayIdentity, seed: seed &+ 1) {
            network.send($0, from: addresses[$1], to: $2.address)
        }
        relay.transmitPlain = { network.send($0, from: plainAddresses[$1], to: $2) }
        endpointID = network.add(
            VirtualEndpoint(
                receive: { [relay] datagram, from, to, now in
                    let plain = plainAddresses.firstIndex(of: to)
                    relay.receive(
                        datagram, from: PeerAddress(from), at: now,
                        worker: plain ?? Int(to.port - Self.relayAddress.port), isPlain: plain != nil)
                }, deadline: { [relay] in relay.deadline },
                handleTimeout: { [unowned self] in
                    wakeUps += 1
                    relay.run(at: $0)
                }),
            at: addresses + plainAddresses)
    }

    var now: MediaTime { network.now }

    func run(seconds: Double) { network.run(until: now + .seconds(seconds)) }

    /// - Returns: false if `condition` did not hold within `seconds`; it is polled every 10 ms.
    func run(atMost seconds: Double, until condition: () -> Bool) -> Bool {
        let end = now + .seconds(seconds)
        while !condition() {
            guard now < end else { return false }
            network.run(until: now + .milliseconds(10))
        }
        return true
    }

    /// Calls the relay as a control call would.
    func control<T>(_ body: (VirtualEngine) throws -> T) rethrows -> T {
        relay.run(at: now)
        defer { network.wake(endpointID) }
        return try body(relay)
    }

    func freeAddress() -> SocketAddress {
        addresses += 1
        return SocketAddress("10.\(host).\(addresses / 250).\(addresses % 250 + 1)", port: 5000)!
    }

    func credentials() -> ICECredentials { .random(using: &random) }

    // MARK: clients

    /// - Parameters:
    ///   - video: nil for audio alone. Several encodings need as many `rids`.
    ///   - startsMuted: kinds that the relay drops from the first packet on.
    ///   - change: changes the client's configuration.
    @discardableResult
    func publish(
        _ session: String = "room", stream: String = "stream", source: UInt32 = 1, rids: [RID] = [],
        video: [SyntheticVideo.Encoding]? = [.init(width: 640, height: 360, bitrate: .kilobits(400))],
        temporalLayers: Int = 1, startsMuted: Set<MediaKind> = [],
        change: (inout WebRTCEndpoint.Configuration) -> Void = { _ in }
    ) throws -> VirtualClient {
        var configuration = WebRTCEndpoint.Configuration.publisher(
            identity: Self.clientIdentity, rids: rids, video: video != nil, using: &random)
        configuration.consentTimeout = clientConsentTimeout
        change(&configuration)
        let endpoint = WebRTCEndpoint(configuration, random: SeededGenerator(seed: random.next()))
        let synthetic = video.map { SyntheticVideo(source: source, encodings: $0, temporalLayers: temporalLayers) }
        let answer = try accept(endpoint, .publish, session, stream, startsMuted: startsMuted)
        return add(.publisher(SyntheticPublisher(endpoint, source: source, video: synthetic)), endpoint, answer)
    }

    /// Offers a stream from a client that sends nothing.
    func offerAlone(stream: String) throws -> TransportID {
        let endpoint = WebRTCEndpoint(
            .publisher(identity: Self.clientIdentity, rids: [], video: true, using: &random),
            random: SeededGenerator(seed: random.next()))
        return try accept(endpoint, .publish, "room", stream).id
    }

    /// - Parameters:
    ///   - source: source of the expected media; media of any other source counts as wrong.
    ///   - retransmits: the client supports RTX.
    ///   - sendsREMB: the client sends REMB instead of transport-wide feedback.
    ///   - video: false for audio alone.
    ///   - change: changes the client's configuration.
    @discardableResult
    func view(
        _ session: String = "room", stream: String = "stream", source: UInt32 = 1, retransmits: Bool = true,
        sendsREMB: Bool = false, video: Bool = true, change: (inout WebRTCEndpoint.Configuration) -> Void = { _ in }
    ) throws -> VirtualClient {
        var configuration = WebRTCEndpoint.Configuration.subscriber(
            identity: Self.clientIdentity, retransmits: retransmits, using: &random)
        if !video { configuration.tracks.removeAll { $0.kind == .video } }
        if sendsREMB {
            configuration.sendsREMB = true
            configuration.sendsTransportFeedback = false
            for track in configuration.tracks.indices {
                configuration.tracks[track].extensions[.transportWideCC] = nil
                for codec in configuration.tracks[track].codecs.indices {
                    configuration.tracks[track].codecs[codec].feedback.remove(.transportCC)
                }
            }
        }
        configuration.consentTimeout = clientConsentTimeout
        change(&configuration)
        let endpoint = WebRTCEndpoint(configuration, random: SeededGenerator(seed: random.next()))
        let answer = try accept(endpoint, .subscribe, session, stream)
        return add(.subscriber(SyntheticSubscriber(endpoint, source: source)), endpoint, answer)
    }

    private func accept(
        _ endpoint: WebRTCEndpoint, _ direction: WebRTCRequest.Direction, _ session: String, _ stream: String,
        startsMuted: Set<MediaKind> = []
    ) throws -> WebRTCAnswer {
        let (answer, text) = try negotiate(
            endpoint.offer.text, direction, session, stream, startsMuted: startsMuted)
        try endpoint.accept(text.utf8, now: now)
        return answer
    }

    /// Returns the relay's answer to an offer.
    func negotiate(
        _ text: String, _ direction: WebRTCRequest.Direction, _ session: String, _ stream: String?,
        startsMuted: Set<MediaKind> = []
    ) throws -> (WebRTCAnswer, String) {
        let offer = try Offer(parsing: Array(text.utf8))
        let tracks = try direction == .publish ? offer.receivable() : offer.sendable()
        var request = WebRTCRequest(
            direction: direction, session: session, stream: stream, peer: offer.peer, tracks: tracks)
        request.startsMuted = startsMuted
        let answer = try control { try $0.openWebRTC(request) }
        let description = RelayDescription(
            credentials: answer.credentials, fingerprint: answer.fingerprint, setup: answer.setup,
            candidates: answer.candidates)
        let answered = tracks.compactMap { track -> AnsweredTrack? in
            guard direction == .subscribe else { return .receive(track) }
            let track = track.limited(to: answer.codec)
            guard let source = answer.sources.first(where: { $0.mid == track.mid }) else { return nil }
            return .send(
                track, ssrc: source.ssrc, rtxSSRC: source.rtxSSRC, cname: "relay", streamID: answer.stream,
                trackID: track.kind.rawValue)
        }
        return (answer, offer.answer(description, tracks: answered).text)
    }

    private func add(_ role: VirtualClient.Role, _ endpoint: WebRTCEndpoint, _ answer: WebRTCAnswer) -> VirtualClient {
        let client = VirtualClient(role, endpoint, answer: answer, at: freeAddress(), in: network)
        clients.append(client)
        return client
    }

    /// Returns a relay and one connected publisher.
    static func withPublisher(
        seed: UInt64, conditions: LinkConditions = LinkConditions(delay: .milliseconds(10)), rids: [RID] = [],
        video: [SyntheticVideo.Encoding]? = [.init(width: 640, height: 360, bitrate: .kilobits(400))],
        temporalLayers: Int = 1, _ change: (inout EngineConfiguration) -> Void = { _ in }
    ) throws -> (VirtualCall, VirtualClient) {
        let call = try VirtualCall(seed: seed, conditions: conditions, change)
        let publisher = try call.publish(rids: rids, video: video, temporalLayers: temporalLayers)
        call.run(seconds: 0.5)
        return (call, publisher)
    }
}
