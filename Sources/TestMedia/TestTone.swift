import Glibc
package import MediaBase

/// Stereo sine tone that is a pure function of the sample number.
package struct TestTone: Hashable, Sendable {
    /// Frequency of the left channel in Hz.
    package let left: Double
    /// Frequency of the right channel in Hz.
    package let right: Double
    /// Fraction of full scale, 0...1.
    package let amplitude: Double

    package init(left: Double = 440, right: Double = 660, amplitude: Double = 0.25) {
        self.left = left
        self.right = right
        self.amplitude = amplitude
    }

    /// Creates the tone of publisher `index`: 440 and 660 Hz, 40 Hz higher for each next publisher; repeats after eight.
    package init(publisher index: Int) {
        self.init(left: 440 + Double(index % Self.count) * 40, right: 660 + Double(index % Self.count) * 40)
    }

    /// Number of different tones that `init(publisher:)` creates.
    package static let count = 8

    /// Returns `frames` samples per channel from sample number `start` on, at 48 kHz.
    package func block(start: Int64, frames: Int, captureTime: MediaTime = .zero) -> PCMBlock {
        var samples = [Int16](repeating: 0, count: frames * 2)
        for i in 0..<frames {
            samples[2 * i] = Self.sample(start + Int64(i), frequency: left, amplitude: amplitude)
            samples[2 * i + 1] = Self.sample(start + Int64(i), frequency: right, amplitude: amplitude)
        }
        return PCMBlock(channels: 2, samples: samples, captureTime: captureTime)
    }

    private static func sample(_ number: Int64, frequency: Double, amplitude: Double) -> Int16 {
        // Uses only the fraction of the turn: a sine of a large angle would lose precision within hours.
        let turns = Double(number) * frequency / Double(PCMBlock.sampleRate)
        return Int16((amplitude * 32_767 * sin(2 * .pi * (turns - turns.rounded(.down)))).rounded())
    }
}
