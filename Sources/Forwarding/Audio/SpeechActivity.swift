import MediaBase

/// Share of time that one participant has spoken recently, on three time scales: 0 never, 1 all the time.
struct SpeechActivity: Sendable {
    /// Short scale, a word: the participant is speaking now.
    static let shortScale = MediaTime.milliseconds(100)
    /// Medium scale, a phrase: the participant is the active speaker.
    static let mediumScale = MediaTime.milliseconds(400)
    /// Long scale, sentences: the participant takes part in the conversation.
    static let longScale = MediaTime.milliseconds(2000)
    /// Maximum duration that one packet counts for. A longer time before it counts as silence.
    private static let longestPacket = MediaTime.milliseconds(60)
    private static let firstPacket = MediaTime.milliseconds(20)

    private(set) var short = 0.0
    private(set) var medium = 0.0
    private(set) var long = 0.0
    private var updated: MediaTime

    init(now: MediaTime) { updated = now - Self.firstPacket }

    /// Handles a packet.
    /// - Parameter weight: weight of the packet as speech, 0...1.
    mutating func receive(_ weight: Double, now: MediaTime) {
        let elapsed = max(.zero, now - updated)
        let spoken = min(elapsed, Self.longestPacket)
        let silent = elapsed - spoken
        func step(_ value: inout Double, _ halfLife: MediaTime) {
            let before = value * Decay.factor(silent, halfLife: halfLife)
            value = weight + (before - weight) * Decay.factor(spoken, halfLife: halfLife)
        }
        step(&short, Self.shortScale)
        step(&medium, Self.mediumScale)
        step(&long, Self.longScale)
        updated = max(now, updated)
    }

    /// Returns the activity at `now` if the participant has been silent since the last packet.
    func after(silenceUntil now: MediaTime) -> SpeechActivity {
        var later = self
        let elapsed = max(.zero, now - updated - Self.longestPacket)
        later.short *= Decay.factor(elapsed, halfLife: Self.shortScale)
        later.medium *= Decay.factor(elapsed, halfLife: Self.mediumScale)
        later.long *= Decay.factor(elapsed, halfLife: Self.longScale)
        return later
    }
}
