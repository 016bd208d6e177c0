public import MediaBase

/// A track as a WebM (or Matroska) header describes it.
public struct WebMTrack: Hashable, Sendable {
    public enum Codec: Hashable, Sendable {
        case video(VideoCodec)
        case opus
        /// Another CodecID; its frames are delivered as well.
        case other(String)

        public static var vp8: Codec { .video(.vp8) }

        init(matroskaID id: String) {
            if let video = VideoCodec.allCases.first(where: { $0.matroskaID == id }) {
                self = .video(video)
            } else {
                self = id == "A_OPUS" ? .opus : .other(String(id.prefix(64)))
            }
        }

        /// Nil for audio and unknown codecs.
        public var video: VideoCodec? {
            if case .video(let codec) = self { return codec }
            return nil
        }
    }

    public var number: Int
    /// Nil for other types, such as subtitles.
    public var kind: MediaKind?
    public var codec: Codec
    public var codecPrivate: [UInt8]
    /// Video only; 0 otherwise.
    public var width: Int
    public var height: Int
    /// Clockwise rotation that players apply, from ProjectionPoseRoll (RFC 9559 section 5.1.4.1.28.46); none for angles
    /// that are not a multiple of 90 degrees.
    public var rotation: Rotation
    /// Audio only; 0 otherwise.
    public var channels: Int
    /// Sample rate in Hz.
    public var sampleRate: Double
    /// Duration of the decoder's first output to drop; timestamps include it.
    public var codecDelay: MediaTime
    public var seekPreRoll: MediaTime
    /// Duration of one frame, if the header has it.
    public var defaultDuration: MediaTime?
    /// Whether blocks are compressed or encrypted (ContentEncodings); they are delivered unchanged.
    public var isEncoded: Bool
}
