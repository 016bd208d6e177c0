package import MediaBase

/// 20 ms of synthetic audio: the TOC byte of an Opus packet (RFC 6716 section 3.1), then its source, number and capture time. Not
/// decodable.
package struct SyntheticAudio: Hashable, Sendable {
    package var source: UInt32
    /// Number of packets before this one.
    package var number: UInt32
    package var captured: MediaTime

    private static let magic: UInt32 = 0x4d53_4e44
    /// Payload bytes, as at 64 kb/s.
    private static let length = 160

    package init(source: UInt32, number: UInt32, captured: MediaTime) {
        self.source = source
        self.number = number
        self.captured = captured
    }

    package var payload: [UInt8] {
        // CELT, full band, 20 ms, mono, one frame.
        var bytes: [UInt8] = [31 << 3]
        for (value, count) in [
            (UInt64(Self.magic), 4), (UInt64(source), 4), (UInt64(number), 4),
            (UInt64(bitPattern: captured.rawValue), 8),
        ] {
            for shift in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
        }
        return bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Self.length - bytes.count)
    }

    /// Nil if the payload is not such a packet, or was altered.
    package init?(parsing payload: UnsafeRawBufferPointer) {
        guard payload.count == Self.length else { return nil }
        func get(_ offset: Int, _ count: Int) -> UInt64 {
            payload[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        guard payload[0] == 31 << 3, get(1, 4) == UInt64(Self.magic) else { return nil }
        source = UInt32(get(5, 4))
        number = UInt32(get(9, 4))
        captured = MediaTime(rawValue: Int64(bitPattern: get(13, 8)))
        let expected = UInt8(truncatingIfNeeded: number)
        guard payload[21...].allSatisfy({ $0 == expected }) else { return nil }
    }
}
