package import MediaBase
package import RTP

/// Tracks loudness and speech of one audio producer from the levels in its packets (RFC 6464). A stream without levels is never treated as
/// silent: `level` stays nil, and selection by loudness lets it pass.
package struct AudioLevelTracker: Sendable {
    /// Time for which a packet without a level is assumed to be as loud as the last one with a level.
    package static let memory = MediaTime.milliseconds(2000)
    /// Decibels above the noise at which audio counts as possible speech.
    package static let speechMargin = 12.0
    /// Lower bound for speech in decibels above the softest level, i.e. -70 dBov, however low the noise is.
    package static let softestSpeech = 57.0
    /// Decibels above the threshold at which speech has full weight.
    private static let fullSpeech = 30.0
    /// Rise of the noise estimate in decibels per second: slow enough for pauses between words, fast enough to adapt to a steady noise such
    /// as a fan.
    private static let noiseRise = 1.0
    /// Half-life of the distance when the noise estimate falls.
    private static let noiseFall = MediaTime.milliseconds(50)

    /// Fall of the smoothed level in decibels per second.
    private static let fall = 100.0

    private var meter: LoudnessMeter?
    private var last = AudioLevel.silence
    private var lastLevelAt = MediaTime.zero
    /// Noise estimate in decibels above the softest level.
    private var noise = 0.0
    private var marksVoice = false
    /// Weight of the last packet as speech: 0, or 0.6...1 by its loudness above the noise. A soft talker counts almost as much as a loud
    /// one; an echo picked up by another microphone counts less.
    package private(set) var activity = 0.0

    package init() {}

    /// Handles a received packet.
    /// - Parameter level: its audio level; nil if it has none.
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
        // Many senders never set the flag, or always set it. A cleared flag means something only for senders that have set it before.
        if level.isVoice { marksVoice = true }
        let excess = loudness - max(noise + Self.speechMargin, Self.softestSpeech)
        let isSpeech = excess >= 0 && (level.isVoice || !marksVoice)
        activity = isSpeech ? 0.6 + 0.4 * min(1, excess / Self.fullSpeech) : 0
    }

    /// Level of the last packet, 0...127 -dBov; nil if the stream carries no levels.
    package var level: UInt8? { meter == nil ? nil : last.level }
    /// Voice flag of the last packet.
    package var isVoice: Bool { meter != nil && last.isVoice }

    /// Returns the smoothed level, 0...127 -dBov, or nil if the stream carries no levels.
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
