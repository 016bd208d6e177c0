/// Block of raw audio: 16-bit signed samples at 48 kHz, channels interleaved.
public struct PCMBlock: Sendable {
    public static let sampleRate = 48_000

    public var channels: Int
    /// `frameCount * channels` samples.
    public var samples: [Int16]
    /// Capture time of the first sample, on the clock of the block's creator.
    public var captureTime: MediaTime

    /// Samples per channel.
    public var frameCount: Int { samples.count / channels }
    public var duration: MediaTime { .nanoseconds(Int64(frameCount) * 1_000_000_000 / Int64(Self.sampleRate)) }

    /// - Precondition: `channels` is 1 or 2 and divides `samples.count`.
    public init(channels: Int, samples: [Int16], captureTime: MediaTime = .zero) {
        precondition((channels == 1 || channels == 2) && samples.count % channels == 0)
        self.channels = channels
        self.samples = samples
        self.captureTime = captureTime
    }
}
