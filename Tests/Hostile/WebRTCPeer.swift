import DTLS
import LoadGenerator
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Transport
import WebRTCClient

/// WebRTC publisher or subscriber that completes ICE and DTLS, then sends forged packets under the keys of the handshake.
final class WebRTCPeer: HostilePeer {
    enum Role: Sendable {
        case publisher(isSimulcast: Bool)
        case subscriber
    }

    /// Special behaviour of the peer.
    enum Habit: Sendable {
        case none
        /// Damages its handshake, and rarely completes it.
        case breaksHandshake
        /// Reaches the relay by ICE-TCP only.
        case usesTCP
    }

    let role: Role
    let habit: Habit
    var isReady: Bool { sealer != nil && target != nil }
    private(set) var isOver = false
    private let transport: WebRTCClientTransport
    private let resource: ConnectionResource
    private var credentials: ICECredentials
    private var relayCredentials: ICECredentials
    private let socket: DatagramSocket
    private var stream: (socket: StreamSocket, connection: Int32)?
    private var framing = StreamFraming()
    private var target: PeerAddress?
    private var sealer: Sealer?
    private var forgers: [RTPForger] = []
    private var rtcp: RTCPForger
    private var transportExtension: UInt8?
    private var random: SeededGenerator
    private var now = MediaTime.zero

    static func open(
        _ relay: RelayControl, _ role: Role, habit: Habit, session: String, stream: String, identity: DTLSIdentity,
        media: SampleMedia, now: MediaTime, using random: inout SeededGenerator
    ) async throws -> WebRTCPeer {
        let configuration: WebRTCEndpoint.Configuration
        let direction: WebRTCRequest.Direction
        var maker: OfferMaker
        let offer: SessionDescription
        switch role {
        case .publisher(let isSimulcast):
            let rids = isSimulcast ? ["lo", "mid", "hi"].compactMap { RID($0) } : []
            configuration = .publisher(identity: identity, rids: rids, using: &random)
            direction = .publish
        case .subscriber:
            configuration = .subscriber(identity: identity, using: &random)
            direction = .subscribe
        }
        maker = OfferMaker(credentials: configuration.credentials, fingerprint: identity.fingerprint)
        maker.cname = configuration.cname
        maker.streamID = configuration.cname
        offer = direction == .publish ? maker.publish(configuration.tracks) : maker.view(configuration.tracks)
        let answer = try await relay.http.offer(offer.text, direction, session: session, stream: stream)
        let parsed = try Answer(parsing: Array(answer.sdp.utf8), to: offer)
        return try WebRTCPeer(
            role, habit, configuration, parsed, answer.resource, media: media, now: now, using: &random)
    }

    private init(
        _ role: Role, _ habit: Habit, _ configuration: WebRTCEndpoint.Configuration, _ answer: Answer,
        _ resource: ConnectionResource, media: SampleMedia, now: MediaTime, using random: inout SeededGenerator
    ) throws {
        self.role = role
        self.habit = habit
        self.resource = resource
        self.random = SeededGenerator(seed: random.next())
        credentials = configuration.credentials
        relayCredentials = answer.peer.credentials
        socket = try DatagramSocket()
        var options = WebRTCClientTransport.Configuration(
            credentials: configuration.credentials, peer: answer.peer, identity: configuration.identity,
            role: answer.peer.setup == .active ? .server : .client)
        options.suites = configuration.suites
        transport = try WebRTCClientTransport(options, now: now)
        rtcp = RTCPForger(sender: configuration.reporter.rawValue, streams: [])
        for agreed in answer.tracks {
            let track = agreed.track
            transportExtension = track.extensions[.transportWideCC] ?? transportExtension
            guard case .publisher = role, let offered = configuration.tracks.first(where: { $0.mid == track.mid })
            else { continue }
            for encoding in offered.encodings {
                var identity = RTPForger.Identity(
                    kind: track.kind, payloadType: track.payloadType.rawValue, ssrc: encoding.ssrc?.rawValue ?? 1)
                identity.rtxPayloadType = track.rtxPayloadType?.rawValue
                identity.rtxSSRC = encoding.rtxSSRC?.rawValue
                identity.mid = track.mid.rawValue
                identity.rid = encoding.rid?.rawValue ?? ""
                identity.extensions = track.extensions
                forgers.append(RTPForger(identity, media: media, using: &random))
            }
        }
        rtcp.streams = forgers.map(\.identity.ssrc)
        let wanted: ICECandidate.Transport = habit == .usesTCP ? .tcp : .udp
        for candidate in answer.candidates where candidate.transport == wanted { transport.add(candidate, now: now) }
        drain(now: now)
    }

    /// Whether media with transport-wide sequence numbers has arrived.
    var receivesMedia: Bool { rtcp.lastTransportSequence != 0 }

    /// Acknowledges the newest packet, after blocks that each advance the reference time by the largest step.
    func acknowledge(blocks: Int) {
        guard let sealer, let target, let packet = sealer.rtcp(rtcp.risingFeedback(blocks: blocks)) else { return }
        transmit(packet, to: target)
    }

    /// Location of the resource at the relay; nil if it has none.
    var location: String? {
        guard case .location(let location) = resource else { return nil }
        return location
    }

    /// Adopts new credentials of both sides.
    func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        credentials = local
        relayCredentials = remote
        transport.restart(local: local, remote: remote, now: now)
        drain(now: now)
    }

    func service(now: MediaTime) {
        self.now = now
        socket.receive { datagram, source in take(datagram, from: PeerAddress(source)) }
        if let stream, let target = target ?? dialled {
            stream.socket.receive { bytes in
                let result: Void? = try? framing.receive(bytes) { take($0, from: target) }
                if result == nil { isOver = true }
            }
            if !stream.socket.isOpen { isOver = true }
        }
        if transport.deadline <= now { transport.handleTimeout(now: now) }
        drain(now: now)
    }

    private var dialled: PeerAddress?

    private func take(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress) {
        switch DatagramKind(datagram) {
        case .stun: transport.receiveSTUN(datagram, from: source, now: now)
        case .dtls: transport.receiveDTLS(datagram, from: source, now: now)
        case .rtp:
            guard let header = try? RTPHeader(parsingProtected: datagram) else { return }
            rtcp.note(header.ssrc.rawValue, sequence: header.sequenceNumber.rawValue)
            guard let transportExtension else { return }
            for element in header.extensions(in: datagram) where element.id == transportExtension {
                guard element.length == 2, element.offset + 2 <= datagram.count else { continue }
                rtcp.lastTransportSequence =
                    UInt16(datagram[element.offset]) << 8 | UInt16(datagram[element.offset + 1])
            }
        default: break
        }
    }

    private func drain(now: MediaTime) {
        while let output = transport.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): transmit(datagram, to: to)
            case .connect(let address, let connection):
                guard habit == .usesTCP, let opened = try? StreamSocket(to: address) else {
                    transport.disconnected(connection: connection, now: now)
                    continue
                }
                stream = (opened, connection)
                dialled = PeerAddress(address, connection: connection)
                transport.connected(connection: connection, now: now)
            case .disconnect: stream = nil
            case .noPath: break
            case .selected(let address): target = address
            case .connected(let keys): sealer = try? Sealer(keys.local)
            case .ended: isOver = true
            }
        }
    }

    private func transmit(_ datagram: [UInt8], to address: PeerAddress) {
        var datagram = datagram
        if habit == .breaksHandshake, random.below(3) == 0, datagram.withUnsafeBytes({ DatagramKind($0) }) == .dtls {
            ByteMutator.mutate(&datagram, using: &random)
        }
        if address.isTCP {
            stream?.socket.send(StreamFraming.frame(datagram))
        } else {
            socket.send(datagram, to: address.address)
        }
    }

    func send(using random: inout SeededGenerator, count: inout PacketCounts) {
        guard let sealer, let target else { return }
        switch random.below(50) {
        case 0:
            let check = CheckForger.check(local: credentials, remote: relayCredentials, using: &random)
            deliver(check, to: target, as: .stun, using: &random, count: &count)
        case 1:
            deliver(NoiseSource.record(using: &random), to: target, as: .dtls, using: &random, count: &count)
        case 2...8: fallthrough
        case _ where forgers.isEmpty:
            guard let packet = sealer.rtcp(rtcp.next(using: &random)) else { return }
            let kind: PacketKind = forgers.isEmpty ? .webRTCFeedback : .webRTCRTCP
            deliver(packet, to: target, as: kind, using: &random, count: &count)
        default:
            let index = random.below(forgers.count)
            let clear = forgers[index].next(using: &random)
            if let packet = sealer.rtp(clear) {
                deliver(packet, to: target, as: .webRTCRTP, using: &random, count: &count)
            } else {
                deliver(clear, to: target, as: .noise, using: &random, count: &count)
            }
        }
    }

    private func deliver(
        _ packet: [UInt8], to target: PeerAddress, as kind: PacketKind, using random: inout SeededGenerator,
        count: inout PacketCounts
    ) {
        guard target.isTCP else {
            socket.send(packet, to: target.address)
            return count.add(kind)
        }
        guard let stream else { return }
        let frame = StreamFraming.frame(packet)
        // A frame is sent in two segments, or together with the header of the next one.
        let cut = random.below(frame.count)
        stream.socket.send(Array(frame[..<cut]))
        stream.socket.send(Array(frame[cut...]))
        count.add(.framed)
        guard random.below(2_000) == 0 else { return }
        stream.socket.send(NoiseSource.frame(using: &random))
        count.add(.brokenFrames)
    }

    func close(_ relay: RelayControl) async {
        transport.close(now: now)
        drain(now: now)
        await relay.http.close(resource)
    }
}
