public import MediaBase

/// Header fields of a WebM file, and its division into clusters.
public struct WebMConfiguration: Sendable {
    /// A video track. The size is the largest expected one; key frames may have any size (`WebMWriter.noteSize`). H.264 is not part of
    /// WebM's subset: its files have the document type of Matroska.
    public struct Video: Sendable {
        public var codec: VideoCodec
        public var width: Int
        public var height: Int
        /// `AVCConfiguration` of H.264, `AV1Configuration` of AV1; empty for VP8 and VP9.
        public var codecPrivate: [UInt8]
        /// Rotation that players apply, if it is known before the first frame; `WebMWriter.noteRotation` changes it.
        public var rotation: Rotation
        public init(
            codec: VideoCodec = .vp8, width: Int, height: Int, codecPrivate: [UInt8] = [], rotation: Rotation = .none
        ) {
            self.codec = codec
            self.width = width
            self.height = height
            self.codecPrivate = codecPrivate
            self.rotation = rotation
        }
    }

    /// An Opus track.
    public struct Audio: Sendable {
        public var channels: Int
        /// Delay of the decoder's output after the encoder's input, in samples at 48 kHz; 312 is libopus's delay.
        public var preSkip: Int
        public init(channels: Int, preSkip: Int = 312) {
            self.channels = channels
            self.preSkip = preSkip
        }
    }

    public var video: Video?
    public var audio: Audio?
    /// Wall-clock time of timestamp zero, in nanoseconds since 1970-01-01T00:00:00Z; nil omits DateUTC.
    public var date: Int64?
    public var writingApp = "Millrace"
    /// Maximum duration of a cluster; at most 30 s, because block times are 16-bit milliseconds.
    public var clusterDuration: MediaTime = .seconds(1)
    /// Duration of media after which blocks are written to the sink. Zero writes each block at once.
    public var flushInterval: MediaTime = .milliseconds(200)

    public init(video: Video?, audio: Audio?, date: Int64? = nil) {
        self.video = video
        self.audio = audio
        self.date = date
    }
}
