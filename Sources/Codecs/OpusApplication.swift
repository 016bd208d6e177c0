import COpus

/// Optimization target of the Opus encoder.
public enum OpusApplication: Sendable, Hashable, CaseIterable {
    /// Speech: optimizes intelligibility. Supports in-band error correction at most bit rates.
    case voice
    /// Music and other audio: optimizes fidelity.
    case audio
    /// No speech modes; 5 ms less algorithmic delay.
    case lowDelay

    var libraryValue: Int32 {
        switch self {
        case .voice: OPUS_APPLICATION_VOIP
        case .audio: OPUS_APPLICATION_AUDIO
        case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
        }
    }
}
