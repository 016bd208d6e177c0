import Glibc
package import MediaBase

/// Detector of audio blocks that are mostly one tone, by Goertzel's algorithm.
package enum ToneDetector {
    /// Returns the energy of `frequency` in one channel as a share of the channel's energy: about 1 for a pure tone, 0 for silence.
    package static func share(of frequency: Double, in block: PCMBlock, channel: Int) -> Double {
        let count = block.frameCount
        guard count > 0, channel < block.channels else { return 0 }
        let coefficient = 2 * cos(2 * .pi * frequency / Double(PCMBlock.sampleRate))
        var (previous, beforePrevious, energy) = (0.0, 0.0, 0.0)
        for i in 0..<count {
            let sample = Double(block.samples[i * block.channels + channel])
            energy += sample * sample
            (previous, beforePrevious) = (sample + coefficient * previous - beforePrevious, previous)
        }
        guard energy > 0 else { return 0 }
        let power = previous * previous + beforePrevious * beforePrevious - coefficient * previous * beforePrevious
        return power / (energy * Double(count) / 2)
    }

    /// Returns whether each channel has more than 80 % of its energy in its tone.
    package static func holds(_ tone: TestTone, in block: PCMBlock) -> Bool {
        guard block.channels == 2 else { return false }
        return share(of: tone.left, in: block, channel: 0) > 0.8 && share(of: tone.right, in: block, channel: 1) > 0.8
    }
}
