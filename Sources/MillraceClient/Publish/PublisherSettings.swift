public import Codecs
public import MediaBase
public import Signaling

/// What a publisher publishes.
public struct PublisherSettings: Sendable {
    public struct Audio: Hashable, Sendable {
        /// 6 to 510 kb/s.
        public var bitrate: Bitrate
        /// 1 or 2.
        public var channels: Int
        public var application: OpusApplication
        /// Each packet holds a low-rate copy of the one before, for receivers that lost it (RFC 6716 section 2.1.7).
        public var fec: Bool
        /// Sends next to nothing while there is nothing to hear.
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

        /// The same for music.
        var music: Audio {
            Audio(
                bitrate: max(bitrate, .kilobits(128)), channels: 2, application: .audio, fec: fec, dtx: false)
        }
    }

    public struct Video: Hashable, Sendable {
        /// Pixels of the pictures that will be pushed; others are taken too, and told to everybody.
        public var width: Int
        public var height: Int
        public var framesPerSecond: Double
        /// At most, of all encodings together.
        public var bitrate: Bitrate
        /// Encodings of the whole picture and of its half and quarter sides, from which the relay chooses for each subscriber.
        public var simulcast: Bool
        /// libvpx's `cpu-used` in real-time mode: 0 (slowest, best) to 16.
        public var speed: Int

        public init(
            width: Int = 1280, height: Int = 720, framesPerSecond: Double = 30, bitrate: Bitrate = .kilobits(2_500),
            simulcast: Bool = false, speed: Int = 8
        ) {
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
            self.bitrate = bitrate
            self.simulcast = simulcast
            self.speed = speed
        }
    }

    /// Of the stream, for people; 1 to 150 characters: letters, digits, symbols and spaces.
    public var name: String
    public var videoType: VideoType
    /// Nil: no sound.
    public var audio: Audio?
    /// Nil: no pictures.
    public var video: Video?

    /// - Parameter name: nil: the video type, `camera` or `screen`.
    public init(
        name: String? = nil, videoType: VideoType = .camera, audio: Audio? = Audio(), video: Video? = Video()
    ) {
        self.name = name ?? videoType.rawValue
        self.videoType = videoType
        self.audio = audio
        self.video = video
    }
}
