import MediaBase

/// Smoothed loudness of one stream, in decibels above the softest level of RFC 6464: 0...127. It follows a rise quickly and falls at a
/// steady rate, so that gaps between syllables do not show.
struct LoudnessMeter: Sendable {
    /// Half-life of a rise.
    static let rise = MediaTime.milliseconds(40)
    /// Time without packets after which loudness falls: a packet may hold 60 ms and arrive late.
    static let patience = MediaTime.milliseconds(100)
    /// Minimum duration that a packet counts for, if several arrive at one instant.
    private static let shortestPacket = MediaTime.milliseconds(5)

    private var value: Double
    private var updated: MediaTime
    /// Fall in decibels per second.
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

    /// Returns the loudness at `now` if no packet has arrived since the last one.
    func loudness(now: MediaTime) -> Double {
        max(0, value - fall * max(0, (now - updated - Self.patience).seconds))
    }

    func isSilent(since span: MediaTime, now: MediaTime) -> Bool { now - updated >= span }
}
