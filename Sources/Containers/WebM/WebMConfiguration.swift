public import MediaBase

/// What a `WebMWriter` puts into the header of a file, and how it cuts it.
public struct WebMConfiguration: Sendable {
    /// A VP8 track. The size is the largest that is expected; key frames may have any (`WebMWriter.noteSize`).
    public struct Video: Sendable {
        public var width: Int
        public var height: Int
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// An Opus track.
    public struct Audio: Sendable {
        public var channels: Int
        /// Samples at 48 kHz that the decoder's output lags behind the encoder's input; 312 is libopus's delay.
        public var preSkip: Int
        public init(channels: Int, preSkip: Int = 312) {
            self.channels = channels
            self.preSkip = preSkip
        }
    }

    public var video: Video?
    public var audio: Audio?
    /// The wall-clock time of timestamp zero, in nanoseconds since 1970-01-01T00:00:00Z; nil leaves DateUTC out.
    public var date: Int64?
    public var writingApp = "Millrace"
    /// A cluster never spans more than this; at most 30 s (block times are 16-bit milliseconds).
    public var clusterDuration: MediaTime = .seconds(1)
    /// Blocks are handed to the sink when this much media has come together. Zero hands over each block.
    public var flushInterval: MediaTime = .milliseconds(200)

    public init(video: Video?, audio: Audio?, date: Int64? = nil) {
        self.video = video
        self.audio = audio
        self.date = date
    }
}
