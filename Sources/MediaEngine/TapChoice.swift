import MediaBase
import Synchronization

/// Choice of a tap's reader among the encodings of simulcast, and their bit rates from the worker. Neither side waits for the other.
struct TapChoice: ~Copyable, Sendable {
    /// Maximum number of encodings that the reader can tell apart.
    static let encodings = 4

    /// Index of the largest wanted encoding.
    let maximum = Atomic<Int>(.max)
    private let count = Atomic<Int>(0)
    private let rates = InlineArray<4, Atomic<Int64>> { _ in Atomic(0) }

    /// Bit rates from the smallest encoding to the largest.
    var bitrates: [Bitrate] {
        (0..<min(count.load(ordering: .relaxed), Self.encodings)).map {
            Bitrate(bitsPerSecond: rates[$0].load(ordering: .relaxed))
        }
    }

    func note(_ bitrates: [Bitrate]) {
        for (index, bitrate) in bitrates.prefix(Self.encodings).enumerated() {
            rates[index].store(bitrate.rawValue, ordering: .relaxed)
        }
        count.store(min(bitrates.count, Self.encodings), ordering: .relaxed)
    }
}
