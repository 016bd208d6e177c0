/// Payload of 20 ms of synthetic audio that names its source and send time: the TOC byte of an Opus packet (RFC 6716 section 3.1),
/// then both. Not decodable.
struct VoicePacket: Equatable {
    var source: UInt32
    /// Send time in monotonic nanoseconds.
    var sentAt: Int64

    /// CELT, full band, 20 ms, mono, one frame.
    private static let toc: UInt8 = 31 << 3
    /// Bytes of a packet, as at 64 kb/s.
    private static let length = 160

    var payload: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.length)
        bytes.withUnsafeMutableBytes { bytes in
            bytes[0] = Self.toc
            bytes.storeBytes(of: source.bigEndian, toByteOffset: 1, as: UInt32.self)
            bytes.storeBytes(of: sentAt.bigEndian, toByteOffset: 5, as: Int64.self)
        }
        return bytes
    }
}

extension VoicePacket {
    /// Nil if the payload is not such a packet.
    init?(parsing payload: UnsafeRawBufferPointer) {
        guard payload.count == Self.length, payload[0] == Self.toc, payload[13...].allSatisfy({ $0 == 0 }) else {
            return nil
        }
        source = UInt32(bigEndian: payload.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        sentAt = Int64(bigEndian: payload.loadUnaligned(fromByteOffset: 5, as: Int64.self))
    }
}
