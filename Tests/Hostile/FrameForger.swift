import MillraceTestKit

/// Makes damaged VP8 frames (RFC 6386) and Opus packets (RFC 6716) from valid ones.
enum FrameForger {
    /// Frame sizes that a key frame may claim, in pixels: none, one, the largest of its 14 bits.
    private static let sizes = [0, 1, 15, 17, 320, 4_095, 4_097, 16_383]

    static func mutateVideo(_ frame: inout [UInt8], using random: inout SeededGenerator) {
        guard frame.count > 10 else { return }
        let isKeyFrame = frame[0] & 1 == 0
        switch random.below(10) {
        case 0 where isKeyFrame:
            // Width and height with scaling bits (RFC 6386 section 9.1).
            let size = { (random: inout SeededGenerator) in
                sizes[random.below(sizes.count)] | random.below(4) << 14
            }
            let (width, height) = (size(&random), size(&random))
            frame[6] = UInt8(truncatingIfNeeded: width)
            frame[7] = UInt8(truncatingIfNeeded: width >> 8)
            frame[8] = UInt8(truncatingIfNeeded: height)
            frame[9] = UInt8(truncatingIfNeeded: height >> 8)
        case 1 where isKeyFrame:
            let zero = random.below(2) == 0
            for index in 6..<10 { frame[index] = zero ? 0 : index % 2 == 0 ? 0xff : 0x3f }
        case 2 where isKeyFrame: frame[3 + random.below(3)] = UInt8(truncatingIfNeeded: random.next())
        case 3:
            // Size of the first partition: 19 bits of the frame tag.
            let size = Int(ByteMutator.number(bits: 19, using: &random))
            frame[0] = frame[0] & 0x1f | UInt8(truncatingIfNeeded: size << 5)
            frame[1] = UInt8(truncatingIfNeeded: size >> 3)
            frame[2] = UInt8(truncatingIfNeeded: size >> 11)
        case 4: frame[0] ^= UInt8(1 << random.below(5))
        case 5: frame.removeLast(random.below(frame.count))
        case 6: frame = random.bytes(1 + random.below(frame.count))
        case 7:
            let start = random.below(frame.count)
            for index in start..<min(frame.count, start + 16) { frame[index] = 0xff }
        default: ByteMutator.mutate(&frame, using: &random)
        }
    }

    static func mutateAudio(_ packet: inout [UInt8], using random: inout SeededGenerator) {
        guard !packet.isEmpty else { return }
        switch random.below(8) {
        // The table of contents: mode, stereo, frame count code.
        case 0: packet[0] = UInt8(truncatingIfNeeded: random.next())
        case 1:
            // Code 3 with up to 63 frames, variable rate and padding (section 3.2.5).
            packet[0] |= 3
            packet.insert(UInt8(truncatingIfNeeded: random.next()), at: 1)
        case 2: packet = [packet[0]]
        case 3: packet.removeAll()
        case 4: packet = random.bytes(1 + random.below(1_100))
        case 5: packet.removeLast(random.below(packet.count))
        default: ByteMutator.mutate(&packet, using: &random)
        }
    }
}
