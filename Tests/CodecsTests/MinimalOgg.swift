/// A minimal writer of Ogg (RFC 3533) with its Opus mapping (RFC 7845) that hands packets to other programs: a page for each packet.
struct MinimalOgg {
    private(set) var bytes: [UInt8] = []
    private var sequence: UInt32 = 0
    private var granule: UInt64 = 0

    init(channels: UInt8) {
        // No pre-skip, because the programs would cut off the beginning.
        let head = Array("OpusHead".utf8) + [1, channels, 0, 0] + little(48_000, 4) + [0, 0, 0]
        page(head, flags: 2, granule: 0)
        page(Array("OpusTags".utf8) + little(4, 4) + Array("test".utf8) + little(0, 4), flags: 0, granule: 0)
    }

    mutating func append(_ packet: [UInt8], frameCount: Int, isLast: Bool) {
        granule += UInt64(frameCount)
        page(packet, flags: isLast ? 4 : 0, granule: granule)
    }

    private func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private mutating func page(_ packet: [UInt8], flags: UInt8, granule: UInt64) {
        let lacing = Array(repeating: UInt8(255), count: packet.count / 255) + [UInt8(packet.count % 255)]
        var page = Array("OggS".utf8) + [0, flags] + little(granule, 8) + little(7, 4) + little(UInt64(sequence), 4)
        page += [0, 0, 0, 0, UInt8(lacing.count)] + lacing + packet
        var crc: UInt32 = 0
        for byte in page {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04c1_1db7 : crc << 1 }
        }
        page.replaceSubrange(22..<26, with: little(UInt64(crc), 4))
        sequence += 1
        bytes += page
    }
}
