import CVPX

/// Assignment of frames to temporal layers, with their references. Base frames use and update only the "last"
/// reference; the middle layer of three uses "golden"; the top layer updates nothing. Frames above the base do not
/// update entropy state, because dropping one would otherwise break the next base frame.
struct VP8TemporalPattern {
    struct Step {
        let layer: Int
        let isLayerSync: Bool
        let flags: vpx_enc_frame_flags_t
        /// Whether the frame updates a reference buffer.
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

    /// Restarts the pattern at a key frame, which replaces all references.
    mutating func restart() { next = 0 }
}
