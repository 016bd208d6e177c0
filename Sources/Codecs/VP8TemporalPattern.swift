import CVPX

/// Which frame goes into which temporal layer, and what it may refer to and replace. Base frames use and replace the
/// "last" reference only; the middle layer of three lives in "golden"; the top layer replaces nothing. No frame above
/// the base leaves entropy state behind, or dropping it would change how the next base frame is read.
struct VP8TemporalPattern {
    struct Step {
        let layer: Int
        let isLayerSync: Bool
        let flags: vpx_enc_frame_flags_t
        /// Written into no reference buffer.
        var isReference: Bool { layer == 0 || flags & vpx_enc_frame_flags_t(VP8_EFLAG_NO_UPD_GF) == 0 }
    }

    let steps: [Step]
    private var next = 0

    /// - Parameter layers: 1 (0 0 0 0), 2 (0 1 0 1) or 3 (0 2 1 2).
    init(layers: Int) {
        let keepAlternative = VP8_EFLAG_NO_REF_ARF | VP8_EFLAG_NO_UPD_ARF
        let base = keepAlternative | VP8_EFLAG_NO_REF_GF | VP8_EFLAG_NO_UPD_GF
        let upper = keepAlternative | VP8_EFLAG_NO_UPD_LAST | VP8_EFLAG_NO_UPD_ENTROPY
        let top = upper | VP8_EFLAG_NO_REF_GF | VP8_EFLAG_NO_UPD_GF
        func step(_ layer: Int, sync: Bool, _ flags: Int32) -> Step {
            Step(layer: layer, isLayerSync: sync, flags: vpx_enc_frame_flags_t(flags))
        }
        steps =
            switch layers {
            case 2: [step(0, sync: false, base), step(1, sync: true, top)]
            case 3:
                [
                    step(0, sync: false, base),
                    step(2, sync: true, top),
                    step(1, sync: true, upper | VP8_EFLAG_NO_REF_GF),
                    step(2, sync: false, upper | VP8_EFLAG_NO_UPD_GF),
                ]
            default: [step(0, sync: false, 0)]
            }
    }

    var current: Step { steps[next] }

    mutating func advance() { next = (next + 1) % steps.count }

    /// A key frame replaces every reference, so the pattern begins anew with it.
    mutating func restart() { next = 0 }
}
