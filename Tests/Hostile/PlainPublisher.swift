import LoadGenerator
import MediaBase
import MediaEngine
import MillraceTestKit
import SRTP

/// Plain SRTP publisher that sends forged media and reports under its valid key.
final class PlainPublisher: HostilePeer {
    let isReady = true
    private(set) var isOver = false
    private let transport: PlainTransport
    private let socket: DatagramSocket
    private let sealer: Sealer
    private var tracks: [(forger: RTPForger, rtp: SocketAddress, rtcp: SocketAddress)] = []
    private var rtcp: RTCPForger

    static func open(
        _ relay: RelayControl, session: String, stream: String, media: SampleMedia, using random: inout SeededGenerator
    ) async throws -> PlainPublisher {
        var request = PlainTransportRequest(direction: .publish, session: session)
        request.stream = stream
        request.suite = SRTPSuite.allCases[random.below(SRTPSuite.allCases.count)]
        request.rtcpMux = random.below(2) == 0
        request.audio = PlainTrackRequest(payloadType: 111, ssrc: UInt32(truncatingIfNeeded: random.next()) | 1)
        request.video = PlainTrackRequest(payloadType: 96, ssrc: UInt32(truncatingIfNeeded: random.next()) | 1)
        return try PlainPublisher(try await relay.http.open(request), media: media, using: &random)
    }

    private init(_ transport: PlainTransport, media: SampleMedia, using random: inout SeededGenerator) throws {
        self.transport = transport
        socket = try DatagramSocket()
        sealer = try Sealer(transport.clientKey)
        let described = [(transport.audio, MediaKind.audio), (transport.video, .video)]
        for (track, kind) in described {
            guard let track, let rtp = SocketAddress(transport.address, port: track.port),
                let rtcp = SocketAddress(transport.address, port: track.rtcpPort)
            else { continue }
            let identity = RTPForger.Identity(kind: kind, payloadType: track.payloadType, ssrc: track.ssrc)
            tracks.append((RTPForger(identity, media: media, using: &random), rtp, rtcp))
        }
        let sources = tracks.map(\.forger.identity.ssrc)
        rtcp = RTCPForger(sender: sources.first ?? 1, streams: sources)
        guard !tracks.isEmpty else { throw HostileError.relay("a plain transport without tracks") }
    }

    func service(now: MediaTime) { socket.receive { _, _ in } }

    func send(using random: inout SeededGenerator, count: inout PacketCounts) {
        let index = random.below(4) == 0 ? 0 : tracks.count - 1
        if random.below(8) == 0 {
            guard let packet = sealer.rtcp(rtcp.next(using: &random)) else { return }
            socket.send(packet, to: tracks[index].rtcp)
            return count.add(.plainRTCP)
        }
        let clear = tracks[index].forger.next(using: &random)
        guard let packet = sealer.rtp(clear) else {
            // The packet is not protected by a key, so the relay has to refuse it by its header.
            socket.send(clear, to: tracks[index].rtp)
            return count.add(.noise)
        }
        socket.send(packet, to: tracks[index].rtp)
        count.add(.plainRTP)
    }

    /// Sends one valid frame of video and the audio of the same time. `change` may prepare the frame.
    func sendClean(using random: inout SeededGenerator, _ change: (inout RTPForger) -> Void = { _ in }) {
        for index in tracks.indices {
            tracks[index].forger.isClean = true
            change(&tracks[index].forger)
            let count = tracks[index].forger.identity.kind == .audio ? 2 : 1
            for _ in 0..<count {
                repeat {
                    guard let packet = sealer.rtp(tracks[index].forger.next(using: &random)) else { break }
                    socket.send(packet, to: tracks[index].rtp)
                } while tracks[index].forger.isWithinFrame
            }
        }
    }

    func close(_ relay: RelayControl) async { await relay.http.close(transport) }
}
