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

    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
    private var settings: vpx_codec_enc_cfg_t
    private var pattern: VP8TemporalPattern
    private var lastTimestamp: Int64?
    private var framesSinceKeyFrame = 0
    private var wantsKeyFrame = true

    /// - Throws: `CodecError.invalidArgument` for a value out of range.
    public init(_ configuration: VP8EncoderConfiguration) throws(CodecError) {
        try configuration.validate()
        self.configuration = configuration
        bitrate = configuration.bitrate
        pattern = VP8TemporalPattern(layers: configuration.temporalLayers)
        settings = vpx_codec_enc_cfg_t()
        context = .allocate(capacity: 1)
        context.initialize(to: vpx_codec_ctx_t())
        var code = vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        configuration.apply(to: &settings, pattern: pattern)
        settings.apply(bitrate, layers: configuration.temporalLayers)
        code = vpx_codec_enc_init_ver(context, vpx_codec_vp8_cx(), &settings, 0, millrace_vpx_encoder_abi_version)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        try applyControls()
    }

    deinit {
        _ = vpx_codec_destroy(context)
        context.deallocate()
    }

    /// Makes the next frame a key frame.
    public func requestKeyFrame() { wantsKeyFrame = true }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        guard (1_000...1_000_000_000).contains(bitrate.rawValue) else {
            throw .invalidArgument("bitrate", reason: "\(bitrate) is not in 1 kb/s...1 Gb/s")
        }
        settings.apply(bitrate, layers: configuration.temporalLayers)
        let code = vpx_codec_enc_config_set(context, &settings)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
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
        guard frame.width == configuration.width, frame.height == configuration.height else {
            throw .invalidArgument(
                "frame", reason: "\(frame.width)x\(frame.height) is not \(configuration.width)x\(configuration.height)")
        }
        if let lastTimestamp, timestamp <= lastTimestamp {
            throw .invalidArgument("timestamp", reason: "\(timestamp) is not above \(lastTimestamp)")
        }
        let duration = duration ?? max(1, Int64(90_000 / configuration.framesPerSecond))
        guard duration > 0 else { throw .invalidArgument("duration", reason: "\(duration) is not positive") }

        let isDue = configuration.keyFrameInterval.map { framesSinceKeyFrame >= $0 } ?? false
        let isKeyFrame = forceKeyFrame || wantsKeyFrame || isDue
        if isKeyFrame { pattern.restart() }
        let step = pattern.current
        let flags = isKeyFrame ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : step.flags
        try submit(frame, timestamp: timestamp, duration: duration, layer: step.layer, flags: flags)
        lastTimestamp = timestamp
        guard let packet = nextPacket() else { return nil }

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
                context, Int32(VP8E_SET_TEMPORAL_LAYER_ID.rawValue), Int32(layer))
            guard code == VPX_CODEC_OK else { throw .vpx(code) }
        }
        let code = frame.bytes.withUnsafeBufferPointer { bytes in
            // `vpx_image_t` has mutable pointers, but the encoder only reads.
            let y = UnsafeMutablePointer(mutating: bytes.baseAddress!)
            var image = vpx_image_t()
            vpx_img_wrap(&image, VPX_IMG_FMT_I420, UInt32(frame.width), UInt32(frame.height), 1, y)
            // `vpx_img_wrap` rounds odd widths up; the rows here have no padding.
            image.planes.0 = y
            image.planes.1 = y + frame.uRange.lowerBound
            image.planes.2 = y + frame.vRange.lowerBound
            image.stride.0 = Int32(frame.width)
            image.stride.1 = Int32(frame.chromaWidth)
            image.stride.2 = Int32(frame.chromaWidth)
            return vpx_codec_encode(
                context, &image, timestamp, UInt(duration), flags, UInt(VPX_DL_REALTIME))
        }
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }

    private func nextPacket() -> (bytes: [UInt8], isKeyFrame: Bool, isReference: Bool)? {
        var iterator: vpx_codec_iter_t?
        while let packet = vpx_codec_get_cx_data(context, &iterator) {
            guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
            let frame = packet.pointee.data.frame
            guard frame.sz > 0 else { continue }
            return (
                [UInt8](UnsafeRawBufferPointer(start: frame.buf, count: frame.sz)),
                frame.flags & vpx_codec_frame_flags_t(VPX_FRAME_IS_KEY) != 0,
                frame.flags & vpx_codec_frame_flags_t(VPX_FRAME_IS_DROPPABLE) == 0
            )
        }
        return nil
    }

    private func applyControls() throws(CodecError) {
        // Real-time speeds are negative. With a positive one, libvpx would adapt its effort to the clock.
        var code = vpx_codec_control_VP8E_SET_CPUUSED(
            context, Int32(VP8E_SET_CPUUSED.rawValue), -Int32(configuration.speed))
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        code = vpx_codec_control_VP8E_SET_STATIC_THRESHOLD(context, Int32(VP8E_SET_STATIC_THRESHOLD.rawValue), 1)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
        // One token partition per thread; otherwise the threads wait for each other.
        let partitions: Int32 =
            configuration.threads >= 8 ? 3 : configuration.threads >= 4 ? 2 : configuration.threads >= 2 ? 1 : 0
        code = vpx_codec_control_VP8E_SET_TOKEN_PARTITIONS(
            context, Int32(VP8E_SET_TOKEN_PARTITIONS.rawValue), partitions)
        guard code == VPX_CODEC_OK else { throw .vpx(code) }
    }
}
