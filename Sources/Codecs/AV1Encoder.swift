import CAOM
public import MediaBase

/// Encodes raw frames to AV1 (main profile, 4:2:0 with 8 bits, one layer) in real time with libaom: constant bit rate, no look-ahead, key
/// frames on request only. Each encoding needs its own encoder, which keeps reference frames between calls and must be used by one thread at
/// a time.
public final class AV1Encoder {
    public let configuration: VideoEncoderConfiguration
    /// Current target bit rate; see `setBitrate`.
    public private(set) var bitrate: Bitrate

    /// OBU that begins a temporal unit. RTP and Matroska leave it out.
    private static let temporalDelimiter: [UInt8] = [0x12, 0x00]

    private let context: UnsafeMutablePointer<aom_codec_ctx_t>
    private var settings: aom_codec_enc_cfg_t
    private var order: EncoderFrameOrder
    private var wantsKeyFrame = true

    /// - Throws: `invalidArgument` for a value out of range; `library`.
    public init(_ configuration: VideoEncoderConfiguration) throws(CodecError) {
        try configuration.validate()
        self.configuration = configuration
        bitrate = configuration.bitrate
        order = EncoderFrameOrder(width: configuration.width, height: configuration.height)
        settings = aom_codec_enc_cfg_t()
        context = .allocate(capacity: 1)
        context.initialize(to: aom_codec_ctx_t())
        try Self.check(aom_codec_enc_config_default(aom_codec_av1_cx(), &settings, UInt32(AOM_USAGE_REALTIME)))
        applyConfiguration()
        try Self.check(
            aom_codec_enc_init_ver(context, aom_codec_av1_cx(), &settings, 0, millrace_aom_encoder_abi_version))
        try applyControls()
    }

    deinit {
        _ = aom_codec_destroy(context)
        context.deallocate()
    }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        try VideoEncoderConfiguration.check(bitrate)
        settings.rc_target_bitrate = UInt32(clamping: max(1, bitrate.rawValue / 1000))
        try Self.check(aom_codec_enc_config_set(context, &settings))
        self.bitrate = bitrate
    }

    /// Encodes one frame to a temporal unit without temporal delimiter: OBUs with size fields, of a key frame with the sequence header.
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
        let duration = configuration.duration
        let flags = wantsKeyFrame ? aom_enc_frame_flags_t(AOM_EFLAG_FORCE_KF) : 0
        try Self.check(
            frame.bytes.withUnsafeBufferPointer { bytes in
                // `aom_image_t` has mutable pointers, but the encoder only reads.
                let y = UnsafeMutablePointer(mutating: bytes.baseAddress!)
                var image = aom_image_t()
                aom_img_wrap(&image, AOM_IMG_FMT_I420, UInt32(frame.width), UInt32(frame.height), 1, y)
                // `aom_img_wrap` rounds odd widths up; the rows here have no padding.
                image.planes.0 = y
                image.planes.1 = y + frame.uRange.lowerBound
                image.planes.2 = y + frame.vRange.lowerBound
                image.stride.0 = Int32(frame.width)
                image.stride.1 = Int32(frame.chromaWidth)
                image.stride.2 = Int32(frame.chromaWidth)
                return aom_codec_encode(context, &image, timestamp, UInt(duration), flags)
            })
        order.take(timestamp)
        guard let packet = nextPacket() else { return nil }
        wantsKeyFrame = false
        return EncodedVideoFrame(
            bytes: packet.bytes, isKeyFrame: packet.isKeyFrame, width: frame.width, height: frame.height,
            timestamp: timestamp, duration: duration)
    }

    private func nextPacket() -> (bytes: [UInt8], isKeyFrame: Bool)? {
        var iterator: aom_codec_iter_t?
        while let packet = aom_codec_get_cx_data(context, &iterator) {
            guard packet.pointee.kind == AOM_CODEC_CX_FRAME_PKT else { continue }
            let frame = packet.pointee.data.frame
            let bytes = UnsafeRawBufferPointer(start: frame.buf, count: frame.sz)
            let start = bytes.starts(with: Self.temporalDelimiter) ? Self.temporalDelimiter.count : 0
            guard bytes.count > start else { continue }
            return (Array(bytes[start...]), frame.flags & aom_codec_frame_flags_t(AOM_FRAME_IS_KEY) != 0)
        }
        return nil
    }

    private func applyConfiguration() {
        settings.g_w = UInt32(configuration.width)
        settings.g_h = UInt32(configuration.height)
        settings.g_threads = UInt32(configuration.threads)
        settings.g_timebase = aom_rational(num: 1, den: 90_000)
        settings.g_pass = AOM_RC_ONE_PASS
        settings.g_lag_in_frames = 0
        settings.g_error_resilient = 0
        settings.rc_end_usage = AOM_CBR
        settings.rc_target_bitrate = UInt32(clamping: max(1, bitrate.rawValue / 1000))
        settings.rc_dropframe_thresh = configuration.mayDropFrames ? 30 : 0
        settings.rc_min_quantizer = 2
        settings.rc_max_quantizer = 56
        settings.rc_undershoot_pct = 50
        settings.rc_overshoot_pct = 50
        settings.rc_buf_sz = 1000
        settings.rc_buf_initial_sz = 600
        settings.rc_buf_optimal_sz = 600
        settings.kf_mode = AOM_KF_DISABLED
    }

    private func applyControls() throws(CodecError) {
        let columns = Int.bitWidth - 1 - configuration.threads.leadingZeroBitCount
        let controls: [(aome_enc_control_id, Int)] = [
            (AOME_SET_CPUUSED, min(max(configuration.speed, 6), 10)),
            // Cyclic refresh, which repairs static areas after a key frame within the bit rate.
            (AV1E_SET_AQ_MODE, 3), (AV1E_SET_DELTAQ_MODE, 0),
            (AV1E_SET_TILE_COLUMNS, columns), (AV1E_SET_ROW_MT, configuration.threads > 1 ? 1 : 0),
            // Tools whose time is not worth their effect in real time.
            (AV1E_SET_ENABLE_TPL_MODEL, 0), (AV1E_SET_ENABLE_ORDER_HINT, 0), (AV1E_SET_ENABLE_OBMC, 0),
            (AV1E_SET_ENABLE_WARPED_MOTION, 0), (AV1E_SET_ENABLE_GLOBAL_MOTION, 0), (AV1E_SET_ENABLE_PALETTE, 0),
        ]
        for (control, value) in controls {
            try Self.check(millrace_aom_set(context, Int32(control.rawValue), Int32(value)))
        }
    }

    private static func check(_ code: aom_codec_err_t) throws(CodecError) {
        guard code == AOM_CODEC_OK else { throw .aom(code) }
    }
}
