import DTLS
import MediaBase
import RTP
import SDP
import STUN
import Transport

/// A transport of the relay and a peer that knows its credentials.
final class TransportPeer {
    private static let identity = try? DTLSIdentity.generate()
    private let transport: WebRTCTransport
    private var now = MediaTime.seconds(1)
    private var transactions: UInt64 = 0
    /// Bytes of DTLS received from an address, and sent to it, before the handshake was done.
    private var received: [PeerAddress: Int] = [:]
    private var sent: [PeerAddress: Int] = [:]
    private var isConnected = false

    init?(asClient: Bool) {
        guard let identity = Self.identity, let local = FuzzPeer.local, let remote = FuzzPeer.remote,
            let fingerprint = CertificateFingerprint(.sha256, bytes: [UInt8](repeating: 7, count: 32)),
            let transport = try? WebRTCTransport(
                .init(
                    credentials: local,
                    peer: PeerDescription(
                        credentials: remote, fingerprints: [fingerprint], setup: asClient ? .passive : .active),
                    identity: identity, role: asClient ? .client : .server), now: now)
        else { return nil }
        self.transport = transport
    }

    func apply(_ code: UInt8, _ input: inout FuzzInput) {
        let source = address(code >> 5)
        switch code & 7 {
        case 0: now += .milliseconds(Int64(input.u8()))
        case 1: now += .milliseconds(Int64(input.u16()))
        case 2: check(&input, from: source)
        case 3:
            // A datagram that looks like STUN, with any bytes.
            var datagram = Array(input.take(Int(input.u8())))
            if datagram.count >= 8 { datagram.replaceSubrange(4..<8, with: [0x21, 0x12, 0xa4, 0x42]) }
            datagram.withUnsafeBytes { transport.receiveSTUN($0, from: source, now: now) }
        case 4: receiveDTLS(input.take(Int(input.u8())), from: source)
        case 5: receiveDTLS(input.take(Int(input.u16() & 0x7ff)), from: source)
        case 6: transport.disconnected(source, now: now)
        default:
            if let local = FuzzPeer.remote, let remote = FuzzPeer.local {
                transport.restart(local: local, remote: remote, now: now)
            }
        }
        if transport.deadline <= now { transport.handleTimeout(now: now) }
    }

    /// - Throws: if more is sent to an address than the limits allow.
    func check() throws(FuzzViolation) {
        while let output = transport.nextOutput() {
            switch output {
            case .transmit(let datagram, let address):
                try require(!datagram.isEmpty && datagram.count <= 1_500, "a datagram of \(datagram.count) bytes")
                if DatagramKind(firstByte: datagram[0], secondByte: 0) == .dtls {
                    sent[address, default: 0] += datagram.count
                }
            case .connected: isConnected = true
            case .selected, .ended, .noPath: break
            }
        }
        guard !isConnected else { return }
        let beyond = sent.reduce(0) { $0 + max(0, $1.value - received[$1.key, default: 0]) }
        try require(
            beyond <= ICELiteAgent.firstFlightAllowance,
            "\(beyond) bytes more were sent than came, to who has not answered")
        try require(transport.isEnded || transport.deadline > now, "the deadline \(transport.deadline) stays at \(now)")
    }

    /// An authentic connectivity check with any attributes in addition to its own.
    private func check(_ input: inout FuzzInput, from source: PeerAddress) {
        guard let local = transport.credentials.last, let remote = FuzzPeer.remote else { return }
        let flags = input.u8()
        transactions &+= flags & 0x80 != 0 ? 0 : 1
        var attributes: [STUNAttribute] = [.username("\(local.ufrag):\(remote.ufrag)")]
        attributes.append(flags & 1 != 0 ? .iceControlled(input.u64()) : .iceControlling(input.u64()))
        if flags & 2 != 0 { attributes.append(.useCandidate) }
        if flags & 4 != 0 { attributes.append(.priority(input.u32())) }
        if flags & 8 != 0 {
            let type = STUNAttributeType(rawValue: input.u16())
            if type != .messageIntegrity, type != .fingerprint {
                attributes.append(.other(type, Array(input.take(input.below(64)))))
            }
        }
        let message = STUNMessage(
            flags & 0x10 != 0 ? .indication : .request, transaction: STUNTransactionID(high: 1, low: transactions),
            attributes: attributes)
        let key = Array(local.password.utf8)
        let datagram = message.bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
        count(datagram.count, from: source)
        datagram.withUnsafeBytes { transport.receiveSTUN($0, from: source, now: now) }
    }

    private func receiveDTLS(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress) {
        count(datagram.count, from: source)
        transport.receiveDTLS(datagram, from: source, now: now)
    }

    private func count(_ bytes: Int, from source: PeerAddress) { received[source, default: 0] += bytes }

    private func address(_ number: UInt8) -> PeerAddress {
        let address = SocketAddress(octets: [192, 0, 2, number], port: 5_000) ?? SocketAddress()
        return PeerAddress(address, connection: number == 7 ? 1 : -1)
    }
}
