package import MediaBase
package import RTP

/// How loud one audio producer is and whether somebody speaks there, from the levels in its packets (RFC 6464). A stream whose
/// packets carry none is never taken for silent: `level` stays nil, and what ranks by loudness lets it pass.
package struct AudioLevelTracker: Sendable {
    /// A packet without a level is taken for as loud as the one before it for so long.
    package static let memory = MediaTime.milliseconds(2000)
    /// Decibels over the noise at which sound may be speech.
    package static let speechMargin = 12.0
    /// -70 dBov: nothing softer is speech, however silent the room.
    package static let softestSpeech = 57.0
    /// Decibels over the threshold at which speech has its full weight.
    private static let fullSpeech = 30.0
    /// Decibels a second that the estimate of the noise rises by: slower than the pauses in speech come, faster than a fan stays.
    private static let noiseRise = 1.0
    /// The estimate of the noise falls to half its distance in this time.
    private static let noiseFall = MediaTime.milliseconds(50)

    /// Of the smoothed level, decibels a second.
    private static let fall = 100.0

    private var meter: LoudnessMeter?
    private var last = AudioLevel.silence
    private var lastLevelAt = MediaTime.zero
    /// Decibels above the softest level.
    private var noise = 0.0
    private var marksVoice = false
    /// How surely the last packet was speech: 0, or 0.6...1 by its loudness over the noise. A soft talker counts almost as much as a
    /// loud one, an echo of somebody in another microphone less.
    package private(set) var activity = 0.0

    package init() {}

    /// - Parameter level: of a packet that came now; nil where it carries none.
    package mutating func receive(_ level: AudioLevel?, now: MediaTime) {
        guard let level else {
            if meter != nil, now - lastLevelAt > Self.memory { meter = nil }
            if meter == nil { activity = 0 }
            return
        }
        let loudness = Self.decibels(level)
        if meter == nil {
            meter = LoudnessMeter(loudness, fall: Self.fall, now: now)
            noise = min(loudness, Self.softestSpeech)
        } else {
            meter?.receive(loudness, now: now)
            follow(loudness, elapsed: now - lastLevelAt)
        }
        last = level
        lastLevelAt = now
        // Many senders never set the flag, or set it always: its absence tells only where it has been seen.
        if level.isVoice { marksVoice = true }
        let excess = loudness - max(noise + Self.speechMargin, Self.softestSpeech)
        let isSpeech = excess >= 0 && (level.isVoice || !marksVoice)
        activity = isSpeech ? 0.6 + 0.4 * min(1, excess / Self.fullSpeech) : 0
    }

    /// Of the last packet, 0...127 -dBov; nil where the stream carries no levels.
    package var level: UInt8? { meter == nil ? nil : last.level }
    /// The voice flag of the last packet.
    package var isVoice: Bool { meter != nil && last.isVoice }

    /// Smoothed, 0...127 -dBov as in the packets; nil where the stream carries no levels.
    package func smoothedLevel(now: MediaTime) -> UInt8? {
        meter.map { UInt8(max(0, min(127, 127 - $0.loudness(now: now).rounded()))) }
    }

    private static func decibels(_ level: AudioLevel) -> Double { Double(127 - level.level) }

    private mutating func follow(_ loudness: Double, elapsed: MediaTime) {
        if loudness < noise {
            noise = loudness + (noise - loudness) * Decay.factor(elapsed, halfLife: Self.noiseFall)
        } else {
            let seconds = max(0, min(elapsed, LoudnessMeter.patience).seconds)
            noise = min(loudness, noise + Self.noiseRise * seconds)
        }
    }
}
