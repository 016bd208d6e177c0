import DTLS
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// The relay's side of one connection of `PassingRelay`.
final class RelayConnection {
    let transport: WebRTCTransport
    let tracks: [TrackDescription]
    let answer: String
    var address: PeerAddress?
    private var protector: SRTPContext?
    private var opener: IngressContext?
    private var room = [UInt8](repeating: 0, count: 2048)
    var isConnected: Bool { protector != nil }
    var end: TransportEnd?

    enum Arrival {
        case rtp([UInt8])
        case rtcp([UInt8])
    }

    /// - Parameter sent: tracks that the relay sends here, by kind; empty for a publisher's connection.
    init(
        offer text: String, relay: SocketAddress, credentials: ICECredentials, identity: DTLSIdentity,
        sent: [TrackDescription], now: MediaTime
    ) throws {
        let offer = try Offer(parsing: Array(text.utf8))
        tracks = sent.isEmpty ? try offer.receivable() : try offer.sendable()
        let answered: [AnsweredTrack] = tracks.map { track in
            guard let source = sent.first(where: { $0.kind == track.kind })?.encodings.first else {
                return .receive(track)
            }
            return .send(
                track, ssrc: source.ssrc!, rtxSSRC: track.rtxPayloadType == nil ? nil : source.rtxSSRC,
                cname: "relay", streamID: "stream", trackID: track.kind.rawValue)
        }
        let candidate = ICECandidate(
            foundation: "1", transport: .udp, priority: 2_130_706_431, host: relay.host, port: relay.port)
        answer =
            offer.answer(
                RelayDescription(
                    credentials: credentials, fingerprint: identity.fingerprint, setup: .passive,
                    candidates: [candidate]), tracks: answered
            ).text
        transport = try WebRTCTransport(
            .init(credentials: credentials, peer: offer.peer, identity: identity), now: now)
    }

    func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) -> Arrival? {
        switch DatagramKind(datagram) {
        case .stun: transport.receiveSTUN(datagram, from: source, now: now)
        case .dtls: transport.receiveDTLS(datagram, from: source, now: now)
        case .rtp:
            return open(datagram) { opener, base, length in try opener.unprotect(base, length: &length) }.map {
                .rtp($0)
            }
        case .rtcp:
            return open(datagram) { opener, base, length in try opener.unprotectRTCP(base, length: &length) }
                .map { .rtcp($0) }
        default: break
        }
        return nil
    }

    private func open(
        _ datagram: UnsafeRawBufferPointer, _ body: (IngressContext, UnsafeMutableRawPointer, inout Int) throws -> Void
    ) -> [UInt8]? {
        guard let opener else { return nil }
        var bytes = Array(datagram)
        var length = bytes.count
        guard (try? bytes.withUnsafeMutableBytes({ try body(opener, $0.baseAddress!, &length) })) != nil else {
            return nil
        }
        return Array(bytes[..<length])
    }

    /// Returns the datagram for `bytes`, or nil before the keys are known.
    func protect(_ bytes: [UInt8], isRTCP: Bool) -> [UInt8]? {
        guard let protector else { return nil }
        var length = bytes.count
        room.replaceSubrange(0..<length, with: bytes)
        let isDone: Void? = room.withUnsafeMutableBytes { room in
            isRTCP
                ? try? protector.protectRTCP(room.baseAddress!, length: &length, capacity: room.count)
                : try? protector.protect(room.baseAddress!, length: &length, capacity: room.count)
        }
        return isDone == nil ? nil : Array(room[..<length])
    }

    /// Returns the datagrams that the transport wants to send.
    func drain() throws -> [([UInt8], PeerAddress)] {
        var sent: [([UInt8], PeerAddress)] = []
        while let output = transport.nextOutput() {
            switch output {
            case .transmit(let bytes, let to): sent.append((bytes, to))
            case .selected(let address): self.address = address
            case .connected(let keys):
                protector = try SRTPContext(key: keys.local, direction: .outbound)
                opener = IngressContext(key: keys.remote)
            case .noPath: break
            case .ended(let reason): end = reason
            }
        }
        return sent
    }
}
