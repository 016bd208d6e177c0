import COpus

/// What the Opus encoder optimises for.
public enum OpusApplication: Sendable, Hashable, CaseIterable {
    /// Speech: intelligibility first; the one that has in-band error correction at most bit rates.
    case voice
    /// Music and everything else: faithfulness first.
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
