import Codecs
import MediaBase

/// Decodes the Opus packets of one recorded file to stereo audio at samples of the mix.
///
/// Packets that continue each other make continuous audio. The difference between their times and the number of their samples, which is the
/// drift of the publisher's clock, is removed by resampling by at most 0.5 %. Lost packets are concealed for up to 60 ms; longer gaps
/// are silence.
struct MixAudioTrack {
    /// Decoded audio, interleaved.
    struct Block {
        /// Sample of the mix.
        var start: Int64
        var samples: [Int16]
        var end: Int64 { start + Int64(samples.count / 2) }
    }

    /// Largest difference that is not a gap or an overlap, 15 ms.
    private static let tolerance: Int64 = 720
    /// Longest concealment, 60 ms.
    private static let concealment: Int64 = 2_880
    /// Difference that is not corrected, 0.5 ms: times in files are rounded to milliseconds.
    private static let slack = 24.0
    /// Maximum correction of each 200 samples: one, which is 0.5 %.
    private static let stretch = 200

    private let decoder: OpusDecoder
    private var preSkip: Int
    /// Sample of the mix at which the next packet belongs.
    private var position: Int64?
    /// Moving average of the difference between the time of a packet and `position`, in samples.
    private var difference = 0.0
    private(set) var packets = 0
    private(set) var errors = 0

    init(preSkip: Int) throws(CodecError) {
        decoder = try OpusDecoder(channels: 2)
        self.preSkip = preSkip
    }

    /// Decodes a packet.
    ///
    /// - Parameters:
    ///   - begin: sample of the mix at which the packet begins.
    ///   - blocks: receives the audio, in order.
    mutating func decode(_ packet: [UInt8], at begin: Int64, to blocks: inout [Block]) {
        packets += 1
        var start = position ?? begin
        let gap = begin - start
        if gap > Self.tolerance {
            let made = min(gap, Self.concealment) / 120 * 120
            if position != nil, let block = try? decoder.decode(nil, frameCount: Int(made)) {
                emit(block.samples, at: start, to: &blocks)
                start += Int64(block.frameCount)
            }
            // A rest below the tolerance is removed by resampling.
            if begin - start > Self.tolerance { start = begin }
            difference = 0
        }
        guard let block = try? decoder.decode(packet) else {
            errors += 1
            position = start
            return
        }
        var samples = block.samples
        if gap < -Self.tolerance {
            // The start was already mixed, or the packet is a copy.
            samples.removeFirst(2 * Int(min(-gap, Int64(block.frameCount))))
            difference = 0
        } else {
            difference += (Double(begin - start) - difference) / 16
            samples = corrected(samples)
        }
        position = start + Int64(samples.count / 2)
        emit(samples, at: start, to: &blocks)
    }

    private mutating func emit(_ samples: [Int16], at start: Int64, to blocks: inout [Block]) {
        // The first samples are the startup delay of the decoder.
        let skipped = min(preSkip, samples.count / 2)
        preSkip -= skipped
        guard samples.count > 2 * skipped else { return }
        blocks.append(
            Block(start: start + Int64(skipped), samples: skipped == 0 ? samples : Array(samples[(2 * skipped)...])))
    }

    /// Returns a block that is a few samples longer or shorter, to follow the clock of the relay.
    private func corrected(_ samples: [Int16]) -> [Int16] {
        let count = samples.count / 2
        let limit = count / Self.stretch
        let change = max(-limit, min(limit, Int(difference / 8)))
        guard abs(difference) > Self.slack, change != 0, count > 2 else { return samples }
        let length = count + change
        var result = [Int16](repeating: 0, count: 2 * length)
        // Positions in 1/65536 samples; the first and the last sample stay.
        let step = ((count - 1) << 16) / (length - 1)
        for frame in 0..<length {
            let at = min(frame * step, (count - 1) << 16)
            let (left, share) = (at >> 16, Int32(at & 0xffff) >> 1)
            let right = min(left + 1, count - 1)
            for channel in 0..<2 {
                let (a, b) = (Int32(samples[2 * left + channel]), Int32(samples[2 * right + channel]))
                result[2 * frame + channel] = Int16(clamping: a + Int32((Int64(b - a) * Int64(share)) >> 15))
            }
        }
        return result
    }
}
