import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("The loudest audio streams of large sessions")
struct LoudestSelectorSessionTests {
    /// 2,000 publishers, 6 of whom talk at a time and change every few seconds.
    @Test("2,000 publishers: every talker is heard from the first packet, and silent ones make no changes")
    func largeSession() {
        var random = SeededGenerator(seed: 42)
        var selector = LoudestSelector()
        var talkers: [Int: Talker] = [:]
        var heard: Set<Int> = []
        var turns = 0
        var withheldWords = 0
        for ms in stride(from: Int64(0), to: 30_000, by: 20) {
            let now = MediaTime.milliseconds(ms)
            if ms % 3000 == 0 {
                for id in talkers.keys.sorted().prefix(3) { talkers[id] = nil }
                while talkers.count < 6 {
                    let id = random.below(2000)
                    talkers[id] = Talker(seed: random.next(), loudness: 80 + random.below(30))
                    heard.remove(id)
                    turns += 1
                }
            }
            for id in 0..<2000 {
                guard let level = talkers[id]?.level(now: now) else {
                    // Background noise of a silent microphone, far below the audible level.
                    let decision = selector.receive(
                        id: id, level: UInt8(100 + random.below(28)), voice: false, now: now)
                    if ms > 3000, decision == .admitted { Issue.record("a silent stream was admitted") }
                    continue
                }
                let decision = selector.receive(id: id, level: level.level, voice: level.isVoice, now: now)
                // In the first 2 s the streams that came first are not known to be silent.
                if level.isVoice, decision == .withhold, ms >= 2000 { withheldWords += 1 }
                if level.isVoice, decision != .withhold { heard.insert(id) }
            }
            #expect(selector.selected.count == 10)
            if ms % 3000 == 2980 { #expect(talkers.keys.allSatisfy(heard.contains)) }
        }
        #expect(withheldWords == 0)
        #expect(selector.replacements <= UInt64(turns))
    }

    @Test("More talkers than forwarded streams: the set changes a few times a minute, not with each syllable")
    func noFlapping() {
        var selector = LoudestSelector()
        var talkers = (0..<14).map { Talker(seed: UInt64($0), loudness: 90) }
        for ms in stride(from: Int64(0), to: 60_000, by: 20) {
            let now = MediaTime.milliseconds(ms)
            for id in talkers.indices {
                let level = talkers[id].level(now: now)
                _ = selector.receive(id: id, level: level.level, voice: level.isVoice, now: now)
            }
        }
        #expect(selector.replacements > 0)
        #expect(selector.replacements < 120, "\(selector.replacements) changes a minute with 14 people who all talk")
    }

    @Test(
        "The loudest are admitted in any order of their packets", arguments: 0..<10 as Range<UInt64>, [11, 40, 400])
    func orderDoesNotMatter(seed: UInt64, count: Int) {
        var random = SeededGenerator(seed: seed)
        // At least 8 dB between the tenth and the eleventh.
        let levels = (0..<count).map { UInt8($0 < 10 ? 20 + random.below(6) : 34 + random.below(25)) }
        let names = (0..<count).map { $0 * 1_000_003 &+ random.below(1000) }
        var selector = LoudestSelector()
        for ms in stride(from: Int64(0), to: 15_000, by: 20) {
            for stream in (0..<count).shuffled(using: &random) {
                _ = selector.receive(id: names[stream], level: levels[stream], voice: false, now: .milliseconds(ms))
            }
        }
        #expect(Set(selector.selected) == Set(names[..<10]))
    }

    @Test("The same packets give the same decisions") func determinism() {
        func run() -> [LoudestSelector.Decision] {
            var random = SeededGenerator(seed: 9)
            var selector = LoudestSelector(limit: 4)
            return (0..<20_000).map { step in
                let id = random.below(30)
                if random.below(500) == 0 { selector.remove(id: id) }
                return selector.receive(
                    id: id, level: UInt8(random.below(128)), voice: random.below(2) == 0,
                    now: .milliseconds(Int64(step)))
            }
        }
        let first = run()
        #expect(first == run())
        #expect(Set(first).count == 3)
    }

    @Test("A limit above the number of streams costs nothing until it is used")
    func hugeLimit() {
        var selector = LoudestSelector(limit: .max / 8)
        for id in 0..<5 {
            #expect(selector.receive(id: id, level: 30, voice: false, now: .zero) == .admitted)
        }
    }
}
