import MediaBase

/// The loudness of one stream, smoothed over time: it follows a rise at once and a fall at a steady rate, so that the gaps between
/// syllables do not show. In decibels above the softest level of RFC 6464: 0...127.
struct LoudnessMeter: Sendable {
    /// In which a rise is followed half-way.
    static let rise = MediaTime.milliseconds(40)
    /// A stream that sends nothing for longer than this is falling silent: packets may hold 60 ms, and come late.
    static let patience = MediaTime.milliseconds(100)
    /// What a packet stands for at least where several come at one instant.
    private static let shortestPacket = MediaTime.milliseconds(5)

    private var value: Double
    private var updated: MediaTime
    /// Decibels a second.
    private let fall: Double

    init(_ decibels: Double, fall: Double, now: MediaTime) {
        value = decibels
        updated = now
        self.fall = fall
    }

    mutating func receive(_ decibels: Double, now: MediaTime) {
        let before = loudness(now: now)
        let elapsed = min(max(now - updated, Self.shortestPacket), Self.patience)
        if decibels > before {
            value = decibels + (before - decibels) * Decay.factor(elapsed, halfLife: Self.rise)
        } else {
            value = max(decibels, before - fall * elapsed.seconds)
        }
        updated = max(now, updated)
    }

    /// What it is now if nothing came since.
    func loudness(now: MediaTime) -> Double {
        max(0, value - fall * max(0, (now - updated - Self.patience).seconds))
    }

    func isSilent(since span: MediaTime, now: MediaTime) -> Bool { now - updated >= span }
}
