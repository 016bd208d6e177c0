import Containers

/// Ogg Opus files, read to their end: unchanged, and with corrected page checksums, which a fuzzer cannot guess.
enum OggFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let bytes = Array(bytes)
        try read(bytes)
        let corrected = withChecksums(bytes)
        if corrected != bytes { try read(corrected) }
    }

    private static func read(_ bytes: [UInt8]) throws(FuzzViolation) {
        guard let reader = try? OggOpusReader(source: MemorySource(bytes)) else { return }
        var total = 0
        while let packet = try? reader.next() {
            total += packet.bytes.count
            try require(total <= bytes.count, "packets have \(total) bytes")
            try require(packet.trimEnd <= packet.duration, "\(packet.trimEnd) of \(packet.duration) samples are cut")
            try require((0...5_760).contains(packet.duration), "a packet of \(packet.duration) samples")
        }
        for note in reader.damage.notes { _ = note.description }
    }

    private static func withChecksums(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        var at = 0
        while at + 27 <= bytes.count {
            let segments = Int(bytes[at + 26])
            guard bytes[at...].starts(with: Array("OggS".utf8)), at + 27 + segments <= bytes.count else {
                at += 1
                continue
            }
            let end = at + 27 + segments + bytes[(at + 27)..<(at + 27 + segments)].reduce(0) { $0 + Int($1) }
            guard end <= bytes.count else { break }
            for index in (at + 22)..<(at + 26) { bytes[index] = 0 }
            let sum = checksum(bytes[at..<end])
            for index in 0..<4 { bytes[at + 22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
            at = end
        }
        return bytes
    }

    /// CRC-32 with polynomial 0x04c11db7, not reflected, from zero (RFC 3533 section 6).
    private static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
        page.reduce(0) { sum, byte in
            var sum = sum ^ UInt32(byte) << 24
            for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1 }
            return sum
        }
    }
}
