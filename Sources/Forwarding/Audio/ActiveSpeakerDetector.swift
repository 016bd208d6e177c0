package import MediaBase

/// Detects the active speaker of one session, as in dominant speaker identification (Volfin and Cohen, 2013): the decision depends on the
/// share of time that a participant spoke, on three time scales, and not on loudness. The active speaker stays until another participant
/// keeps talking while the active speaker is silent.
///
/// To become active, a participant must be speaking now (short scale), must have spoken clearly more than the active speaker over the last
/// phrase (medium scale, takes about 0.6 s of the active speaker's silence), and must have spoken for half a second in total (long scale).
/// A cough, a "yes" or a pause for breath therefore changes nothing, and if two talk at once the first one stays. When all are silent, the
/// last speaker stays.
///
/// Decisions are made every 100 ms from all packets received so far, so the order of packets does not matter. Only participants who spoke
/// in the last 15 s take memory.
package struct ActiveSpeakerDetector: Sendable {
    package enum Event: Hashable, Sendable {
        /// The new active speaker; nil if the last one left or was muted and no one else speaks.
        case activeSpeakerChanged(Int?)
    }

    package static let interval = MediaTime.milliseconds(100)
    private static let speakingNow = 0.3
    private static let fewestWords = 0.35
    private static let advantage = 0.25
    private static let shortestContribution = 0.15
    /// Value on the long scale below which a participant is removed: reached 15 s after the last word.
    private static let forgotten = 0.005

    private var speakers: [Int: SpeechActivity] = [:]
    private var reported: Int?
    package private(set) var activeSpeaker: Int?
    /// Time at which to call `handleTimeout(now:)`; nil while no one speaks.
    package private(set) var deadline: MediaTime?

    package init() {}

    /// Handles a packet of participant `id`.
    /// - Parameter activity: weight of the packet as speech: `AudioLevelTracker.activity`.
    @inline(__always)
    package mutating func receive(id: Int, activity: Double, now: MediaTime) {
        guard activity > 0 else { return }
        note(id, activity, now)
    }

    private mutating func note(_ id: Int, _ activity: Double, _ now: MediaTime) {
        speakers[id, default: SpeechActivity(now: now)].receive(activity, now: now)
        if deadline == nil { deadline = now + Self.interval }
    }

    /// Removes a participant that left or was muted. An active speaker is replaced at once.
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
            // The result must not depend on the iteration order of the dictionary.
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
