import Forwarding
import MediaBase

/// Participants of a session who hear each other: the session's main part, or one subsession. Loudness is compared within each of them,
/// so that a participant is not withheld because of a louder one in another subsession.
final class EngineRoom {
    /// Name of the main part, which holds all participants that were placed in no subsession.
    static let main = ""

    let name: String
    /// Selects the audio tracks that are forwarded.
    var loudest: LoudestSelector
    var speakers = ActiveSpeakerDetector()
    /// Number of streams.
    var streams = 0

    /// - Parameter loudest: audio tracks that are forwarded at a time; 0: all.
    init(name: String, loudest: Int) {
        self.name = name
        self.loudest = LoudestSelector(limit: loudest)
    }
}
