import MediaBase

@testable import Recording

extension [TestStream.Packet] {
    /// Inserts a forged video packet after the last one of a frame; later packets move up by one sequence number.
    func forging(_ payload: [UInt8], after frame: Int, ticks: Int64 = 1_500) -> [TestStream.Packet] {
        guard let index = lastIndex(where: { $0.kind == .video && $0.frame == frame }) else { return self }
        var packets = self
        for index in packets.indices where packets[index].kind == .video && packets[index].frame > frame {
            packets[index].sequence += 1
        }
        var forged = packets[index]
        forged.sequence += 1
        forged.timestamp += ticks
        forged.marker = true
        forged.payload = payload
        packets.insert(forged, at: index + 1)
        return packets
    }

    /// Moves the RTP time of packets of one kind.
    func moving(_ kind: MediaKind, by ticks: Int64, where isMoved: (Int) -> Bool) -> [TestStream.Packet] {
        map { packet in
            var packet = packet
            if packet.kind == kind, isMoved(packet.frame) { packet.timestamp &+= ticks }
            return packet
        }
    }
}

/// Payloads that no encoder produces.
enum ForgedPayload {
    /// A whole VP8 key frame of the given size in one packet (RFC 7741 section 4.2, RFC 6386 section 9.1).
    static func keyFrame(width: Int, height: Int, partition: Int = 0, rest: Int = 40) -> [UInt8] {
        let tag = partition << 5 | 0x10
        let head: [Int] = [
            0x10, tag & 0xff, tag >> 8 & 0xff, tag >> 16, 0x9d, 0x01, 0x2a, width & 0xff, width >> 8, height & 0xff,
            height >> 8,
        ]
        return head.map { UInt8(truncatingIfNeeded: $0) } + [UInt8](repeating: 0, count: rest)
    }
}
