import COpenH264
public import MediaBase

/// Encodes raw frames to H.264 (constrained baseline, no B frames) in real time with OpenH264: constant bit rate, key frames on request only.
/// Each encoding needs its own encoder, which keeps reference frames between calls and must be used by one thread at a time.
///
/// H.264 has even sizes here: the last column or row of an odd frame is left out.
public final class H264Encoder {
    public let configuration: VideoEncoderConfiguration
    /// Current target bit rate; see `setBitrate`.
    public private(set) var bitrate: Bitrate

    private let encoder: UnsafeMutablePointer<millrace_openh264_encoder>
    private var order: EncoderFrameOrder
    private var wantsKeyFrame = true

    /// - Throws: `invalidArgument` for a value out of range; `library` if OpenH264 refuses the size, the largest of which is 4096x2304.
    public init(_ configuration: VideoEncoderConfiguration) throws(CodecError) {
        try configuration.validate(sizes: 16...4_096)
        self.configuration = configuration
        bitrate = configuration.bitrate
        order = EncoderFrameOrder(width: configuration.width, height: configuration.height)
        let complexity =
            configuration.speed < 3 ? HIGH_COMPLEXITY : configuration.speed < 6 ? MEDIUM_COMPLEXITY : LOW_COMPLEXITY
        guard
            let encoder = millrace_openh264_encoder_open(
                Int32(configuration.width & ~1), Int32(configuration.height & ~1), Float(configuration.framesPerSecond),
                Int32(bitrate.rawValue), Int32(configuration.threads), Int32(complexity.rawValue),
                configuration.mayDropFrames)
        else { throw .openH264(cmInitParaError.rawValue, "no encoder of this size could be created") }
        self.encoder = encoder
    }

    deinit { millrace_openh264_encoder_close(encoder) }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        try VideoEncoderConfiguration.check(bitrate)
        let code = millrace_openh264_set_bitrate(encoder, Int32(bitrate.rawValue))
        guard code == 0 else { throw .openH264(UInt32(bitPattern: code), "the bit rate is refused") }
        self.bitrate = bitrate
    }

    /// Encodes one frame to an access unit: NAL units behind start codes (Annex B), of a key frame with its parameter sets.
    ///
    /// - Parameters:
    ///   - frame: frame of the configured size.
    ///   - timestamp: unwrapped timestamp in 90 kHz ticks; must increase.
    ///   - forceKeyFrame: whether the frame, or the next one if this is dropped, becomes a key frame. The first one always does.
    /// - Returns: nil if rate control dropped the frame, which requires `mayDropFrames`.
    public func encode(
        _ frame: I420Frame, timestamp: Int64, forceKeyFrame: Bool = false
    ) throws(CodecError) -> EncodedVideoFrame? {
        try order.check(frame, timestamp: timestamp)
        if forceKeyFrame { wantsKeyFrame = true }
        let (width, height) = (frame.width & ~1, frame.height & ~1)
        let code = frame.bytes.withUnsafeBufferPointer { bytes in
            let y = bytes.baseAddress!
            return millrace_openh264_encode(
                encoder, y, y + frame.uRange.lowerBound, y + frame.vRange.lowerBound, Int32(frame.width),
                Int32(frame.chromaWidth), Int32(width), Int32(height), timestamp / 90, wantsKeyFrame)
        }
        guard code == 0 else { throw .openH264(UInt32(bitPattern: code), "a frame cannot be encoded") }
        order.take(timestamp)
        let size = Int(millrace_openh264_encoded_size(encoder))
        guard size > 0 else { return nil }
        wantsKeyFrame = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            millrace_openh264_copy(encoder, bytes.baseAddress)
            count = size
        }
        return EncodedVideoFrame(
            bytes: bytes, isKeyFrame: millrace_openh264_is_key_frame(encoder), width: width, height: height,
            timestamp: timestamp, duration: configuration.duration)
    }
}
