import CVPX
import MediaBase

extension VP8EncoderConfiguration {
    /// Sets everything except bit rates. The rate control buffer is one second of video, which suits a call.
    func apply(to settings: inout vpx_codec_enc_cfg_t, pattern: VP8TemporalPattern) {
        settings.g_w = UInt32(width)
        settings.g_h = UInt32(height)
        settings.g_threads = UInt32(threads)
        settings.g_timebase = vpx_rational(num: 1, den: 90_000)
        settings.g_pass = VPX_RC_ONE_PASS
        settings.g_lag_in_frames = 0
        settings.g_error_resilient =
            isErrorResilient || temporalLayers > 1 ? vpx_codec_er_flags_t(VPX_ERROR_RESILIENT_DEFAULT) : 0
        settings.rc_end_usage = VPX_CBR
        settings.rc_dropframe_thresh = mayDropFrames ? 30 : 0
        settings.rc_resize_allowed = 0
        settings.rc_min_quantizer = UInt32(quantizers.lowerBound)
        settings.rc_max_quantizer = UInt32(quantizers.upperBound)
        settings.rc_undershoot_pct = 100
        settings.rc_overshoot_pct = 15
        settings.rc_buf_sz = 1000
        settings.rc_buf_initial_sz = 500
        settings.rc_buf_optimal_sz = 600
        // Only this encoder forces key frames: one chosen by libvpx could fall into an upper layer.
        settings.kf_mode = VPX_KF_DISABLED

        guard temporalLayers > 1 else { return }
        settings.ts_number_layers = UInt32(temporalLayers)
        settings.ts_periodicity = UInt32(pattern.steps.count)
        withUnsafeMutableBytes(of: &settings.ts_layer_id) { ids in
            let ids = ids.bindMemory(to: UInt32.self)
            for (index, step) in pattern.steps.enumerated() { ids[index] = UInt32(step.layer) }
        }
        withUnsafeMutableBytes(of: &settings.ts_rate_decimator) { decimators in
            let decimators = decimators.bindMemory(to: UInt32.self)
            for layer in 0..<temporalLayers { decimators[layer] = 1 << UInt32(temporalLayers - 1 - layer) }
        }
    }
}

extension vpx_codec_enc_cfg_t {
    /// Cumulative percentages of the bit rate up to each layer. The base layer gets the most, because all others depend
    /// on it.
    private static let shares: [[Int64]] = [[100], [60, 100], [40, 60, 100]]

    mutating func apply(_ bitrate: Bitrate, layers: Int) {
        let kilobits = max(1, bitrate.rawValue / 1000)
        rc_target_bitrate = UInt32(clamping: kilobits)
        guard layers > 1 else { return }
        withUnsafeMutableBytes(of: &ts_target_bitrate) { targets in
            let targets = targets.bindMemory(to: UInt32.self)
            for (layer, share) in Self.shares[layers - 1].enumerated() {
                targets[layer] = UInt32(clamping: max(1, kilobits * share / 100))
            }
        }
    }
}
