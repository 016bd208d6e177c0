import LoadGenerator
import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP

/// Plain SRTP subscriber of all streams of a session, which sends forged feedback under its valid key.
final class PlainSubscriber: HostilePeer {
    let isReady = true
    private(set) var isOver = false
    private let transport: PlainTransport
    private let sockets: [DatagramSocket]
    private let targets: [SocketAddress]
    private let sealer: Sealer
    private var rtcp: RTCPForger

    static func open(
        _ relay: RelayControl, session: String, using random: inout SeededGenerator
    ) async throws -> PlainSubscriber {
        let sockets = [try DatagramSocket(), try DatagramSocket()]
        var request = PlainTransportRequest(direction: .subscribe, session: session)
        request.stream = PlainTransportRequest.allStreams
        request.suite = SRTPSuite.allCases[random.below(SRTPSuite.allCases.count)]
        request.rtcpMux = true
        request.address = "127.0.0.1"
        request.audio = PlainTrackRequest(port: sockets[0].port, payloadType: 111)
        request.video = PlainTrackRequest(port: sockets[1].port, payloadType: 96)
        return try PlainSubscriber(try await relay.http.open(request), sockets, using: &random)
    }

    private init(
        _ transport: PlainTransport, _ sockets: [DatagramSocket], using random: inout SeededGenerator
    ) throws {
        self.transport = transport
        self.sockets = sockets
        sealer = try Sealer(transport.clientKey)
        var targets: [SocketAddress] = []
        for track in [transport.audio, transport.video] {
            guard let track, let address = SocketAddress(transport.address, port: track.port) else { continue }
            targets.append(address)
        }
        self.targets = targets
        rtcp = RTCPForger(sender: UInt32(truncatingIfNeeded: random.next()), streams: [])
        guard targets.count == sockets.count else { throw HostileError.relay("a plain transport without tracks") }
    }

    func service(now: MediaTime) {
        for socket in sockets {
            socket.receive { datagram, _ in
                guard DatagramKind(datagram) == .rtp, let header = try? RTPHeader(parsingProtected: datagram) else {
                    return
                }
                rtcp.note(header.ssrc.rawValue, sequence: header.sequenceNumber.rawValue)
            }
        }
    }

    func send(using random: inout SeededGenerator, count: inout PacketCounts) {
        guard let packet = sealer.rtcp(rtcp.next(using: &random)) else { return }
        let index = random.below(sockets.count)
        sockets[index].send(packet, to: targets[index])
        count.add(.plainFeedback)
    }

    func close(_ relay: RelayControl) async { await relay.http.close(transport) }
}
