import MediaBase
import MillraceTestKit

/// Sender without a key: random bytes, and damaged STUN, DTLS, RTP and RTCP.
final class NoiseSource: HostilePeer {
    let isReady = true
    let isOver = false
    private let socket: DatagramSocket
    private let targets: [SocketAddress]

    /// - Parameter ports: media ports of the relay.
    init(ports: [UInt16]) throws {
        socket = try DatagramSocket()
        targets = ports.compactMap { SocketAddress("127.0.0.1", port: $0) }
    }

    func service(now: MediaTime) { socket.receive { _, _ in } }

    func send(using random: inout SeededGenerator, count: inout PacketCounts) {
        guard !targets.isEmpty else { return }
        socket.send(Self.datagram(using: &random), to: targets[random.below(targets.count)])
        count.add(.noise)
    }

    func close(_ relay: RelayControl) async {}

    static func datagram(using random: inout SeededGenerator) -> [UInt8] {
        switch random.below(5) {
        case 0: return random.bytes(random.below(1_400))
        case 1: return binding(using: &random)
        case 2: return record(using: &random)
        case 3:
            return [0x80 | UInt8(random.below(64)), UInt8(truncatingIfNeeded: random.next())]
                + random.bytes(random.below(1_200))
        default:
            return [0x80 | UInt8(random.below(64)), UInt8(192 + random.below(32))] + random.bytes(random.below(200))
        }
    }

    /// Binding request or answer (RFC 8489 section 5) with attributes of false lengths.
    private static func binding(using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(random.below(2)), random.below(4) == 0 ? UInt8(random.below(256)) : 1]
        let attributes = random.bytes(random.below(60) * 4)
        bytes.append(random.below(4) == 0 ? random.next() : UInt64(attributes.count), bytes: 2)
        bytes += [0x21, 0x12, 0xa4, 0x42] + random.bytes(12) + attributes
        if attributes.count >= 4, random.below(2) == 0 {
            bytes[20] = 0
            bytes[21] = 6
            bytes[22] = 0
            bytes[23] = UInt8(min(attributes.count - 4, 20))
        }
        return bytes
    }

    /// DTLS record (RFC 6347 section 4.1) with a handshake header (section 4.2.2) whose lengths contradict each other.
    static func record(using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(20 + random.below(5)), 0xfe, random.below(4) == 0 ? 0xff : 0xfd]
        bytes.append(random.below(4) == 0 ? 1 : 0, bytes: 2)
        bytes.append(UInt64(random.below(64)), bytes: 6)
        let body = random.bytes(random.below(400))
        var message: [UInt8] = [UInt8(random.below(25))]
        message.append(ByteMutator.number(bits: 24, using: &random), bytes: 3)
        message.append(UInt64(random.below(8)), bytes: 2)
        message.append(ByteMutator.number(bits: 24, using: &random), bytes: 3)
        message.append(random.below(2) == 0 ? UInt64(body.count) : random.next(), bytes: 3)
        message += body
        bytes.append(random.below(8) == 0 ? random.next() : UInt64(message.count), bytes: 2)
        return bytes + message
    }

    /// Frame of a TCP connection (RFC 4571 section 2) whose length is false, or whose datagram is noise.
    static func frame(using random: inout SeededGenerator) -> [UInt8] {
        let datagram = datagram(using: &random)
        var bytes: [UInt8] = []
        switch random.below(5) {
        case 0: bytes.append(0xffff, bytes: 2)
        case 1: bytes.append(0, bytes: 2)
        case 2: bytes.append(random.next(), bytes: 2)
        default: bytes.append(UInt64(datagram.count), bytes: 2)
        }
        return bytes + datagram
    }
}
