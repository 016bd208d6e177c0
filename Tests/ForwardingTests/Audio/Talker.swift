import MediaBase
import MillraceTestKit
import RTP

/// A talker in virtual time with the pauses of human speech: syllables within phrases, phrases within turns.
struct Talker {
    var loudness: Int  // dB over the softest level while talking
    let pause: ClosedRange<Int>  // ms
    let phrase: ClosedRange<Int>  // ms
    private var random: SeededGenerator
    private(set) var isTalking = false
    private var until: MediaTime = .zero

    init(seed: UInt64, loudness: Int, phrase: ClosedRange<Int> = 800...3000, pause: ClosedRange<Int> = 200...700) {
        random = SeededGenerator(seed: seed)
        self.loudness = loudness
        self.phrase = phrase
        self.pause = pause
    }

    /// Returns the level of the packet at `now`; a packet is sent every 20 ms.
    mutating func level(now: MediaTime) -> AudioLevel {
        if now >= until {
            isTalking.toggle()
            let range = isTalking ? phrase : pause
            until = now + .milliseconds(Int64(range.lowerBound + random.below(range.count)))
        }
        guard isTalking else { return AudioLevel(level: UInt8(90 + random.below(30)), isVoice: false) }
        // A fifth of the syllables are soft.
        let dip = random.below(5) == 0 ? 15 : random.below(8)
        return AudioLevel(level: UInt8(max(0, min(127, 127 - loudness + dip))), isVoice: true)
    }
}
