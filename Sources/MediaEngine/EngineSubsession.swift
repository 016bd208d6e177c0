import Forwarding
import MediaBase
import RTP

/// Participants of a session who hear each other: the session's main part, or one subsession. Loudness is compared within each of them,
/// so that a participant is not withheld because of a louder one in another subsession.
final class EngineSubsession {
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

    /// Updates loudness and speaker state with one packet of an audio track.
    /// - Returns: whether the packet is forwarded; false if enough louder tracks are.
    func receive(_ level: AudioLevel?, of track: UnsafeMutablePointer<InboundTrack>, _ id: Int, now: MediaTime) -> Bool
    {
        track.pointee.levels.receive(level, now: now)
        speakers.receive(id: id, activity: track.pointee.levels.activity, now: now)
        let decision = loudest.receive(
            id: id, level: track.pointee.levels.level, voice: track.pointee.levels.isVoice, now: now)
        return decision != .withhold
    }

    /// Withdraws a track from the loudest tracks and from the active speaker.
    func withdraw(_ id: Int) {
        loudest.remove(id: id)
        speakers.remove(id: id)
    }
}
