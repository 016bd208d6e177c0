import CVPX
public import MediaBase

/// Encodes raw frames to VP9 (profile 0, one layer) in real time with libvpx: constant bit rate, no look-ahead, key frames on request only.
/// Each encoding needs its own encoder, which keeps reference frames between calls and must be used by one thread at a time.
public final class VP9Encoder {
    public let configuration: VideoEncoderConfiguration
    /// Current target bit rate; see `setBitrate`.
    public private(set) var bitrate: Bitrate

    private let context: VPXEncoderContext
    private var order: EncoderFrameOrder
    private var wantsKeyFrame = true

    /// - Throws: `invalidArgument` for a value out of range; `library`.
    public init(_ configuration: VideoEncoderConfiguration) throws(CodecError) {
        try configuration.validate()
        self.configuration = configuration
        bitrate = configuration.bitrate
        order = EncoderFrameOrder(width: configuration.width, height: configuration.height)
        context = try VPXEncoderContext(vpx_codec_vp9_cx()) { Self.apply(configuration, to: &$0) }
        try applyControls()
    }

    /// Changes the target bit rate from the next frame on, 1 kb/s to 1 Gb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        try VideoEncoderConfiguration.check(bitrate)
        try context.change { $0.apply(bitrate, layers: 1) }
        self.bitrate = bitrate
    }

    /// Encodes one frame.
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
        try context.encode(
            frame, timestamp: timestamp, duration: duration,
            flags: wantsKeyFrame ? vpx_enc_frame_flags_t(VPX_EFLAG_FORCE_KF) : 0)
        order.take(timestamp)
        guard let packet = context.nextPacket() else { return nil }
        wantsKeyFrame = false
        return EncodedVideoFrame(
            bytes: packet.bytes, isKeyFrame: packet.isKeyFrame, width: frame.width, height: frame.height,
            timestamp: timestamp, duration: duration)
    }

    private static func apply(_ configuration: VideoEncoderConfiguration, to settings: inout vpx_codec_enc_cfg_t) {
        settings.g_w = UInt32(configuration.width)
        settings.g_h = UInt32(configuration.height)
        settings.g_threads = UInt32(configuration.threads)
        settings.g_timebase = vpx_rational(num: 1, den: 90_000)
        settings.g_pass = VPX_RC_ONE_PASS
        settings.g_lag_in_frames = 0
        settings.rc_end_usage = VPX_CBR
        settings.rc_dropframe_thresh = configuration.mayDropFrames ? 30 : 0
        settings.rc_resize_allowed = 0
        settings.rc_min_quantizer = 2
        settings.rc_max_quantizer = 56
        settings.rc_undershoot_pct = 50
        settings.rc_overshoot_pct = 50
        settings.rc_buf_sz = 1000
        settings.rc_buf_initial_sz = 500
        settings.rc_buf_optimal_sz = 600
        settings.kf_mode = VPX_KF_DISABLED
        settings.apply(configuration.bitrate, layers: 1)
    }

    private func applyControls() throws(CodecError) {
        func check(_ code: vpx_codec_err_t) throws(CodecError) {
            guard code == VPX_CODEC_OK else { throw .vpx(code) }
        }
        let pointer = context.pointer
        let speed = Int32(min(max(configuration.speed, 5), 9))
        try check(vpx_codec_control_VP8E_SET_CPUUSED(pointer, Int32(VP8E_SET_CPUUSED.rawValue), speed))
        try check(vpx_codec_control_VP8E_SET_STATIC_THRESHOLD(pointer, Int32(VP8E_SET_STATIC_THRESHOLD.rawValue), 1))
        // Cyclic refresh, which repairs static areas after a key frame within the bit rate.
        try check(vpx_codec_control_VP9E_SET_AQ_MODE(pointer, Int32(VP9E_SET_AQ_MODE.rawValue), 3))
        // libvpx limits the columns to those of the frame's width.
        let columns = Int32(Int.bitWidth - 1 - configuration.threads.leadingZeroBitCount)
        try check(vpx_codec_control_VP9E_SET_TILE_COLUMNS(pointer, Int32(VP9E_SET_TILE_COLUMNS.rawValue), columns))
        let hasThreads: UInt32 = configuration.threads > 1 ? 1 : 0
        try check(vpx_codec_control_VP9E_SET_ROW_MT(pointer, Int32(VP9E_SET_ROW_MT.rawValue), hasThreads))
    }
}
