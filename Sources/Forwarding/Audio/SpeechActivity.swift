import MediaBase

/// How much one participant has spoken of late, on three scales of time: 0 never, 1 all the time.
struct SpeechActivity: Sendable {
    /// Speaking now: a word.
    static let shortScale = MediaTime.milliseconds(100)
    /// Has the floor: a phrase.
    static let mediumScale = MediaTime.milliseconds(400)
    /// Takes part: sentences.
    static let longScale = MediaTime.milliseconds(2000)
    /// What one packet tells of at most; a longer time before it was silence.
    private static let longestPacket = MediaTime.milliseconds(60)
    private static let firstPacket = MediaTime.milliseconds(20)

    private(set) var short = 0.0
    private(set) var medium = 0.0
    private(set) var long = 0.0
    private var updated: MediaTime

    init(now: MediaTime) { updated = now - Self.firstPacket }

    /// - Parameter weight: how surely the packet that came now is speech, 0...1.
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

    /// As it is now if nothing was said since the last packet.
    func after(silenceUntil now: MediaTime) -> SpeechActivity {
        var later = self
        let elapsed = max(.zero, now - updated - Self.longestPacket)
        later.short *= Decay.factor(elapsed, halfLife: Self.shortScale)
        later.medium *= Decay.factor(elapsed, halfLife: Self.mediumScale)
        later.long *= Decay.factor(elapsed, halfLife: Self.longScale)
        return later
    }
}
