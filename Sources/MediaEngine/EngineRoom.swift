import Forwarding
import MediaBase

/// Those of a session who hear each other: its main room, or one apart from it. Loudness is compared within a room alone, so that nobody is
/// softened by one whom he does not hear.
final class EngineRoom {
    /// Where everybody is who was not placed elsewhere.
    static let main = ""

    let name: String
    /// Which audio tracks are heard.
    var loudest: LoudestSelector
    var speakers = ActiveSpeakerDetector()
    /// Streams in it.
    var streams = 0

    /// - Parameter loudest: audio tracks that are forwarded at a time; 0: all.
    init(name: String, loudest: Int) {
        self.name = name
        self.loudest = LoudestSelector(limit: loudest)
    }
}
