package import MediaBase

/// Who has the floor in one room. As in dominant speaker identification (Volfin and Cohen, 2013), what counts is how much of the
/// time somebody spoke, on three scales of time, and not how loud; and whoever has the floor keeps it until another one talks on
/// where he is silent.
///
/// To take the floor one must be speaking now (short scale), speak clearly more than its owner over the last phrase (medium
/// scale), which takes about 0.6 s of the owner's silence, and have spoken for half a second in all (long scale). So a cough, a
/// "yes" or a pause for breath change nothing, and of two who talk at once the first stays. When all are silent the last speaker stays.
///
/// Decisions are made on a beat of 100 ms from everything that came until then: the order of packets does not matter. Memory is of those
/// who spoke in the last quarter of a minute.
package struct ActiveSpeakerDetector: Sendable {
    package enum Event: Hashable, Sendable {
        /// Nil where the one who had the floor is gone and nobody else speaks.
        case activeSpeakerChanged(Int?)
    }

    package static let interval = MediaTime.milliseconds(100)
    private static let speakingNow = 0.3
    private static let fewestWords = 0.35
    private static let advantage = 0.25
    private static let shortestContribution = 0.15
    /// Of the long scale: 15 s after the last word.
    private static let forgotten = 0.005

    private var speakers: [Int: SpeechActivity] = [:]
    private var reported: Int?
    package private(set) var activeSpeaker: Int?
    /// When `handleTimeout(now:)` is due; nil while nobody speaks.
    package private(set) var deadline: MediaTime?

    package init() {}

    /// - Parameter activity: how surely a packet of `id` that came now is speech: `AudioLevelTracker.activity`.
    @inline(__always)
    package mutating func receive(id: Int, activity: Double, now: MediaTime) {
        guard activity > 0 else { return }
        note(id, activity, now)
    }

    private mutating func note(_ id: Int, _ activity: Double, _ now: MediaTime) {
        speakers[id, default: SpeechActivity(now: now)].receive(activity, now: now)
        if deadline == nil { deadline = now + Self.interval }
    }

    /// Gone or muted: loses the floor at once.
    package mutating func remove(id: Int) {
        speakers[id] = nil
        guard activeSpeaker == id else { return }
        activeSpeaker = nil
        deadline = .zero
    }

    package mutating func handleTimeout(now: MediaTime) -> Event? {
        guard let due = deadline, due <= now else { return nil }
        var owner = 0.0
        var best: (id: Int, medium: Double)?
        var silent: [Int] = []
        for (id, activity) in speakers {
            let recent = activity.after(silenceUntil: now)
            if id == activeSpeaker { owner = recent.medium }
            if recent.long < Self.forgotten { silent.append(id) }
            guard id != activeSpeaker, recent.short >= Self.speakingNow, recent.medium >= Self.fewestWords,
                recent.long >= Self.shortestContribution
            else { continue }
            // The order in which a dictionary is walked must not show.
            if let leader = best, (leader.medium, id) > (recent.medium, leader.id) { continue }
            best = (id, recent.medium)
        }
        for id in silent { speakers[id] = nil }
        deadline = speakers.isEmpty ? nil : now + Self.interval
        if let best, activeSpeaker == nil || best.medium >= owner + Self.advantage { activeSpeaker = best.id }
        guard activeSpeaker != reported else { return nil }
        reported = activeSpeaker
        return .activeSpeakerChanged(activeSpeaker)
    }
}
