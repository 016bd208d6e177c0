/// Format of a WAV file: interleaved 16-bit signed samples.
public struct WAVFormat: Hashable, Sendable {
    public var sampleRate: Int
    public var channels: Int

    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }
}
