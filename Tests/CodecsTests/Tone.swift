import Foundation
import MediaBase

/// Generation and detection of sine waves.
enum Tone {
    /// Returns `frameCount` samples of a tone with the given peak, from sample number `start` on; the right channel is a fifth higher.
    static func block(
        hertz: Double, peak: Double = 8000, channels: Int, start: Int, frameCount: Int
    ) -> PCMBlock {
        var samples: [Int16] = []
        for i in start..<(start + frameCount) {
            for channel in 0..<channels {
                let frequency = channel == 0 ? hertz : hertz * 1.5
                samples.append(Int16(peak * sin(2 * .pi * frequency * Double(i) / 48_000)))
            }
        }
        return PCMBlock(channels: channels, samples: samples)
    }

    /// Returns the share of a channel's energy at `hertz` (Goertzel with a Hann window): 0 to about 1.
    static func energy(at hertz: Double, in samples: [Double]) -> Double {
        let step = 2 * cos(2 * .pi * hertz / 48_000)
        var (s1, s2, total) = (0.0, 0.0, 0.0)
        for (i, sample) in samples.enumerated() {
            let windowed = sample * (0.5 - 0.5 * cos(2 * .pi * Double(i) / Double(samples.count)))
            total += windowed * windowed
            (s1, s2) = (windowed + step * s1 - s2, s1)
        }
        let power = s1 * s1 + s2 * s2 - step * s1 * s2
        return total == 0 ? 0 : power * 2 / (total * Double(samples.count)) / 0.667
    }

    /// Returns the loudest frequency in a range to within 0.25 Hz: a coarse search in the first samples, which are few enough to blur it
    /// over 20 Hz, then a fine one in all.
    static func frequency(of samples: [Double], in range: ClosedRange<Double>) -> Double {
        func best(_ range: ClosedRange<Double>, by step: Double, in samples: [Double]) -> Double {
            stride(from: range.lowerBound, through: range.upperBound, by: step)
                .map { ($0, energy(at: $0, in: samples)) }.max { $0.1 < $1.1 }?.0 ?? range.lowerBound
        }
        let coarse = best(range, by: 10, in: Array(samples.prefix(2400)))
        let closer = best(max(1, coarse - 10)...(coarse + 10), by: 2, in: Array(samples.prefix(9600)))
        return best((closer - 2)...(closer + 2), by: 0.25, in: samples)
    }

    /// Returns one channel of interleaved samples.
    static func channel(_ channel: Int, of samples: [Int16], channels: Int) -> [Double] {
        stride(from: channel, to: samples.count, by: channels).map { Double(samples[$0]) }
    }
}
