import CVPX
public import MediaBase

/// Encodes raw frames to VP8 (RFC 6386) in real time with libvpx: constant bit rate, no look-ahead, key frames on
/// request. Each encoding needs its own encoder, which keeps reference frames between calls and must be used by one
/// thread at a time.
///
/// ```swift
/// let encoder = try VP8Encoder(VP8EncoderConfiguration(width: 1280, height: 720, bitrate: .kilobits(1500)))
/// if let encoded = try encoder.encode(frame, timestamp: frameNumber * 3000) { send(encoded) }
/// ```
public final class VP8Encoder {
    public let configuration: VP8EncoderConfiguration
    /// Current target bit rate; see `setBitrate`.
    public private(set) var bitrate: Bitrate

    private let context: VPXEncoderContext
    private var pattern: VP8TemporalPattern
    private var order: EncoderFrameOrder
    private var framesSinceKeyFrame = 0
    private var wantsKeyFrame = true

    /// - Throws: `CodecError.invalidArgument` for a value out of range.
    public init(_ configuration: VP8EncoderConfiguration) throws(CodecError) {
        try configuration.validate()
        self.configuration = configuration
        bitrate = configuration.bitrate
        order = EncoderFrameOrder(width: configuration.width, height: configuration.height)
        let pattern = VP8TemporalPattern(layers: configuration.temporalLayers)
        self.pattern = pattern
        context = try VPXEncoderContext(vpx_codec_vp8_cx()) { settings in
            configuration.apply(to: &settings, pattern: pattern)
            settings.apply(configuration.bitrate, layers: configuration.temporalLayers)
        }
        try applyControls()
    }

    /// Makes the next frame a key frame.
    public func requestKeyFrame() { wantsKeyFrame = true }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        try VideoEncoderConfiguration.check(bitrate)
        try context.change { [layers = configuration.temporalLayers] in $0.apply(bitrate, layers: layers) }
        self.bitrate = bitrate
    }

    /// Encodes one frame.
    ///
    /// - Parameters:
    ///   - frame: frame of the configured size.
    ///   - timestamp: unwrapped timestamp in 90 kHz ticks (RFC 7741 section 4.1); must increase.
    ///   - duration: duration in 90 kHz ticks; nil for one frame at the configured rate.
    ///   - forceKeyFrame: has the effect of `requestKeyFrame()` before the call.
    /// - Returns: nil if rate control dropped the frame, which requires `mayDropFrames`.
    public func encode(
        _ frame: I420Frame, timestamp: Int64, duration: Int64? = nil, forceKeyFrame: Bool = false
    ) throws(CodecError) -> EncodedVideoFrame? {
        try order.check(frame, timestamp: timestamp)
        let duration = duration ?? max(1, Int64(90_000 / configuration.framesPerSecond))
        guard duration > 0 else { throw .invalidArgument("duration", reason: "\(duration) is not positive") }

        let isDue = configuration.keyFrameInterval.map { framesSinceKeyFrame >= $0 } ?? false
        let isKeyFrame = forceKeyFrame || wantsKeyFrame || isDue
        if isKeyFrame { pattern.restart() }
        let step = pattern.current
        let flags = isKeyFrame ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : step.flags
        try submit(frame, timestamp: timestamp, duration: duration, layer: step.layer, flags: flags)
        order.take(timestamp)
        guard let packet = context.nextPacket() else { return nil }

        wantsKeyFrame = false
        framesSinceKeyFrame = packet.isKeyFrame ? 1 : framesSinceKeyFrame + 1
        pattern.advance()
        return EncodedVideoFrame(
            bytes: packet.bytes, isKeyFrame: packet.isKeyFrame, width: frame.width, height: frame.height,
            timestamp: timestamp, duration: duration, temporalLayer: step.layer,
            isLayerSync: packet.isKeyFrame || step.isLayerSync, isReference: packet.isReference)
    }

    private func submit(
        _ frame: I420Frame, timestamp: Int64, duration: Int64, layer: Int, flags: vpx_enc_frame_flags_t
    ) throws(CodecError) {
        if configuration.temporalLayers > 1 {
            let code = vpx_codec_control_VP8E_SET_TEMPORAL_LAYER_ID(
                context.pointer, Int32(VP8E_SET_TEMPORAL_LAYER_ID.rawValue), Int32(layer))
            guard code == VPX_CODEC_OK else { throw .vpx(code) }
        }
        try context.encode(frame, timestamp: timestamp, duration: duration, flags: flags)
    }

    private func applyControls() throws(CodecError) {
        // Real-time speeds are negative. With a positive one, libvpx would adapt its effort to the clock.
        var code = vpx_codec_control_VP8E_SET_CPUUSED(
            context.pointer, Int32(VP8E_SET_CPUUSED.rawValue), -Int32(configuration.speed))
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        code = vpx_codec_control_VP8E_SET_STATIC_THRESHOLD(
            context.pointer, Int32(VP8E_SET_STATIC_THRESHOLD.rawValue), 1)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        // A token partition per thread: otherwise the threads wait for each other.
        let partitions: Int32 =
            configuration.threads >= 8 ? 3 : configuration.threads >= 4 ? 2 : configuration.threads >= 2 ? 1 : 0
        code = vpx_codec_control_VP8E_SET_TOKEN_PARTITIONS(
            context.pointer, Int32(VP8E_SET_TOKEN_PARTITIONS.rawValue), partitions)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }
}
