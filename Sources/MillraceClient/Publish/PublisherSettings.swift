public import Codecs
public import MediaBase
public import Signaling

/// Settings of a publisher.
public struct PublisherSettings: Sendable {
    public struct Audio: Hashable, Sendable {
        /// Bit rate of the audio, 6 to 510 kb/s.
        public var bitrate: Bitrate
        /// Number of channels, 1 or 2.
        public var channels: Int
        public var application: OpusApplication
        /// Whether each packet contains a low-rate copy of the previous one, for receivers that lost it (RFC 6716 section
        /// 2.1.7).
        public var fec: Bool
        /// Whether to send almost nothing during silence (discontinuous transmission).
        public var dtx: Bool

        public init(
            bitrate: Bitrate = .kilobits(48), channels: Int = 2, application: OpusApplication = .voice,
            fec: Bool = true, dtx: Bool = false
        ) {
            self.bitrate = bitrate
            self.channels = channels
            self.application = application
            self.fec = fec
            self.dtx = dtx
        }

        /// The same settings, adapted for music.
        var music: Audio {
            Audio(
                bitrate: max(bitrate, .kilobits(128)), channels: 2, application: .audio, fec: fec, dtx: false)
        }
    }

    public struct Video: Hashable, Sendable {
        /// Width of the frames in pixels. Frames of another size are accepted too; the stream's size is then updated for all
        /// users.
        public var width: Int
        /// Height of the frames in pixels; see `width`.
        public var height: Int
        /// Expected frame rate, for the encoder's rate control.
        public var framesPerSecond: Double
        /// Maximum bit rate, as the total of all encodings.
        public var bitrate: Bitrate
        /// Whether to send encodings in full, half and quarter width and height, from which the relay chooses for each
        /// subscriber. Only for VP8 and H.264: `Session.publish(_:)` refuses others with `invalidField`.
        public var simulcast: Bool
        /// Effort of the encoder: 0 (slowest, best quality) to 16. The steps depend on the codec; see
        /// `VideoEncoderConfiguration.speed`.
        public var speed: Int
        /// Codec of all encodings. The relay forwards it without transcoding, so that a subscriber that cannot decode it gets the audio
        /// alone. VP9 and AV1 need less bit rate than VP8 and more CPU time. H.264 has frames of at least 16x16 pixels and an even size.
        /// Streams that are encrypted end to end are VP8.
        public var codec: VideoCodec

        public init(
            width: Int = 1280, height: Int = 720, framesPerSecond: Double = 30, bitrate: Bitrate = .kilobits(2_500),
            simulcast: Bool = false, speed: Int = 8, codec: VideoCodec = .vp8
        ) {
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
            self.bitrate = bitrate
            self.simulcast = simulcast
            self.speed = speed
            self.codec = codec
        }
    }

    /// Display name of the stream, 1 to 150 characters: letters, digits, symbols and spaces.
    public var name: String
    public var videoType: VideoType
    /// Audio settings; nil for a stream without audio.
    public var audio: Audio?
    /// Video settings; nil for a stream without video.
    public var video: Video?

    /// - Parameter name: nil for the name of the video type, `camera` or `screen`.
    public init(
        name: String? = nil, videoType: VideoType = .camera, audio: Audio? = Audio(), video: Video? = Video()
    ) {
        self.name = name ?? videoType.rawValue
        self.videoType = videoType
        self.audio = audio
        self.video = video
    }
}
