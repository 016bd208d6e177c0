import MediaBase

/// Chooses the participant who speaks, from the loudness of all, with hysteresis.
///
/// Noise and short remarks do not change the speaker: a participant must be louder than the current speaker by a margin for half a second,
/// and a speaker stays for three seconds.
struct MixSpeakerSelector {
    /// Minimum time between two changes of the speaker.
    static let minimumStay: MediaTime = .seconds(3)
    /// Time for which a participant must be the loudest.
    static let minimumSpeech: MediaTime = .milliseconds(500)
    /// Loudness in dB of full scale above which a participant speaks.
    static let threshold = -50.0
    /// Decibels by which a participant must be louder than a speaker who still speaks.
    static let margin = 6.0

    private(set) var speaker: Int?
    private var since: MediaTime = .zero
    private var challenger: (id: Int, since: MediaTime)?

    /// Returns the speaker at a time.
    ///
    /// - Parameters:
    ///   - loudness: loudness in dB of full scale of all participants, by their id.
    ///   - time: not before that of the last call.
    mutating func update(_ loudness: [Int: Double], at time: MediaTime) -> Int? {
        if let current = speaker, loudness[current] == nil { speaker = nil }
        // Equal loudness is decided by the id, so that the result does not depend on the order of a dictionary.
        let loudest = loudness.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
        guard let loudest, loudest.value >= Self.threshold, loudest.key != speaker else {
            challenger = nil
            return speaker
        }
        guard let current = speaker, let level = loudness[current] else {
            return change(to: loudest.key, at: time)
        }
        guard level < Self.threshold || loudest.value >= level + Self.margin else {
            challenger = nil
            return speaker
        }
        if challenger?.id != loudest.key { challenger = (loudest.key, time) }
        if let challenger, time - challenger.since >= Self.minimumSpeech, time - since >= Self.minimumStay {
            return change(to: challenger.id, at: time)
        }
        return speaker
    }

    private mutating func change(to id: Int, at time: MediaTime) -> Int? {
        speaker = id
        since = time
        challenger = nil
        return id
    }
}
