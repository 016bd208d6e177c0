import MillraceTestKit

/// An RTP packet of random content, with up to 15 CSRCs and a header extension of up to 255 words.
struct RandomPacket {
    var bytes: [UInt8]
    let headerLength: Int

    private static let block = {
        var random = SeededGenerator(seed: 0xb10c)
        return random.bytes(4096 + 12 + 60 + 4 + 1020 + 1400)
    }()

    init(
        ssrc: UInt32, sequenceNumber: UInt16, payloadLength: Int, using random: inout SeededGenerator,
        plain: Bool = false
    ) {
        let csrcs = plain || random.below(3) > 0 ? 0 : random.below(16)
        let extensionWords: Int? = plain || random.below(3) > 0 ? nil : random.below(random.below(2) == 0 ? 4 : 256)
        let header = 12 + csrcs * 4 + (extensionWords.map { 4 + $0 * 4 } ?? 0)
        // A window of one random block: generating every byte would dominate the test's time in a debug build.
        bytes = Array(Self.block[random.below(4096)...].prefix(header + payloadLength))
        headerLength = header
        bytes[0] = 0x80 | UInt8(csrcs) | (extensionWords == nil ? 0 : 0x10)
        bytes[1] = 96
        bytes[2] = UInt8(sequenceNumber >> 8)
        bytes[3] = UInt8(sequenceNumber & 0xff)
        for byte in 0..<4 { bytes[8 + byte] = UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * byte)) }
        if let extensionWords {
            bytes[12 + csrcs * 4 + 2] = 0
            bytes[12 + csrcs * 4 + 3] = UInt8(extensionWords)
        }
    }
}

/// Returns an RTCP packet with a sender SSRC and random content, in whole words.
func randomControlPacket(ssrc: UInt32, using random: inout SeededGenerator) -> [UInt8] {
    let words = random.below(80)
    var bytes = random.bytes(8 + words * 4)
    bytes[0] = 0x81
    bytes[1] = 201
    bytes[2] = 0
    bytes[3] = UInt8(words + 1)
    for byte in 0..<4 { bytes[4 + byte] = UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * byte)) }
    return bytes
}
