import Foundation
import MediaBase

/// Loudness of one participant: the mean square of the samples of about the last 300 ms.
struct PCMLoudnessMeter {
    /// Seconds after which audio has 37 % of its weight.
    private static let window = 0.3
    /// Loudness of silence in dB of full scale.
    static let silence = -100.0

    private var power = 0.0
    /// End of the last block, in samples of the mix.
    private var end: Int64 = 0

    /// Notes a block of interleaved samples that ends at a sample of the mix.
    mutating func note(_ samples: [Int16], end: Int64) {
        guard !samples.isEmpty else { return }
        var sum = 0.0
        var count = 0.0
        // Each 16th value suffices for a loudness.
        for index in stride(from: 0, to: samples.count, by: 16) {
            let value = Double(samples[index]) / 32_768
            sum += value * value
            count += 1
        }
        let share = Self.share(of: Double(samples.count) / 2)
        power = power(at: end) * (1 - share) + sum / count * share
        self.end = max(self.end, end)
    }

    /// Returns the loudness in dB of full scale at a sample of the mix.
    func loudness(at sample: Int64) -> Double {
        let power = power(at: sample)
        return power > 1e-10 ? 10 * log10(power) : Self.silence
    }

    /// Blocks arrive in pieces, so silence counts only from 100 ms after the last one.
    private func power(at sample: Int64) -> Double {
        let silent = Double(max(0, sample - end - 4_800))
        return silent > 0 ? power * (1 - Self.share(of: silent)) : power
    }

    private static func share(of samples: Double) -> Double { 1 - exp(-samples / 48_000 / window) }
}
