public import MediaBase

/// A track as a WebM (or Matroska) header describes it.
public struct WebMTrack: Hashable, Sendable {
    public enum Codec: Hashable, Sendable {
        case vp8
        case opus
        /// Any other CodecID; its frames are delivered all the same.
        case other(String)
    }

    public var number: Int
    /// nil for subtitles and the like.
    public var kind: MediaKind?
    public var codec: Codec
    public var codecPrivate: [UInt8]
    /// Video only; 0 otherwise.
    public var width: Int
    public var height: Int
    /// Clockwise rotation that players apply, by ProjectionPoseRoll (RFC 9559 section 5.1.4.1.28.46); angles between count as none.
    public var rotation: Rotation
    /// Audio only; 0 otherwise.
    public var channels: Int
    /// Hz.
    public var sampleRate: Double
    /// How much of the decoder's first output is to be dropped; timestamps include it.
    public var codecDelay: MediaTime
    public var seekPreRoll: MediaTime
    /// Of one frame, where the header says so.
    public var defaultDuration: MediaTime?
    /// Compressed or encrypted blocks (ContentEncodings), which are delivered as they are.
    public var isEncoded: Bool
}
