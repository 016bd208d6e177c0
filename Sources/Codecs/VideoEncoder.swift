public import MediaBase

/// Encoder of one video encoding in any codec that the relay forwards, in real time: VP8 and VP9 by libvpx, H.264 by OpenH264, AV1 by libaom.
/// Its frames have one layer, and key frames come on request only. Must be used by one thread at a time.
///
/// ```swift
/// let encoder = try VideoEncoder(.vp9, VideoEncoderConfiguration(width: 640, height: 360, bitrate: .kilobits(500)))
/// if let encoded = try encoder.encode(frame, timestamp: frameNumber * 3000) { send(encoded.bytes) }
/// ```
public enum VideoEncoder {
    case vp8(VP8Encoder)
    case vp9(VP9Encoder)
    case h264(H264Encoder)
    case av1(AV1Encoder)

    /// - Throws: `invalidArgument` for a value out of range; `library` if the codec's library refuses the configuration.
    public init(_ codec: VideoCodec = .vp8, _ configuration: VideoEncoderConfiguration) throws(CodecError) {
        switch codec {
        case .vp8:
            self = .vp8(
                try VP8Encoder(
                    VP8EncoderConfiguration(
                        width: configuration.width, height: configuration.height,
                        framesPerSecond: configuration.framesPerSecond, bitrate: configuration.bitrate,
                        threads: configuration.threads, speed: configuration.speed,
                        mayDropFrames: configuration.mayDropFrames)))
        case .vp9: self = .vp9(try VP9Encoder(configuration))
        case .h264: self = .h264(try H264Encoder(configuration))
        case .av1: self = .av1(try AV1Encoder(configuration))
        }
    }

    public var codec: VideoCodec {
        switch self {
        case .vp8: .vp8
        case .vp9: .vp9
        case .h264: .h264
        case .av1: .av1
        }
    }

    /// Current target bit rate; see `setBitrate`.
    public var bitrate: Bitrate {
        switch self {
        case .vp8(let encoder): encoder.bitrate
        case .vp9(let encoder): encoder.bitrate
        case .h264(let encoder): encoder.bitrate
        case .av1(let encoder): encoder.bitrate
        }
    }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    /// - Throws: `invalidArgument` for a value out of range; `library`.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        switch self {
        case .vp8(let encoder): try encoder.setBitrate(bitrate)
        case .vp9(let encoder): try encoder.setBitrate(bitrate)
        case .h264(let encoder): try encoder.setBitrate(bitrate)
        case .av1(let encoder): try encoder.setBitrate(bitrate)
        }
    }

    /// Encodes one frame.
    ///
    /// - Parameters:
    ///   - frame: frame of the configured size.
    ///   - timestamp: unwrapped timestamp in 90 kHz ticks; must increase.
    ///   - forceKeyFrame: whether the frame becomes a key frame. The first one always does.
    /// - Returns: the frame in the form that `VideoDecoder` takes; nil if rate control dropped it, which requires `mayDropFrames`.
    /// - Throws: `invalidArgument` for a frame of another size or a timestamp that does not increase; `library`.
    public func encode(
        _ frame: I420Frame, timestamp: Int64, forceKeyFrame: Bool = false
    ) throws(CodecError) -> EncodedVideoFrame? {
        switch self {
        case .vp8(let encoder): try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forceKeyFrame)
        case .vp9(let encoder): try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forceKeyFrame)
        case .h264(let encoder): try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forceKeyFrame)
        case .av1(let encoder): try encoder.encode(frame, timestamp: timestamp, forceKeyFrame: forceKeyFrame)
        }
    }
}
