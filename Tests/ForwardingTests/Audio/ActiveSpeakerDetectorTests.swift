import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Active speaker detection")
struct ActiveSpeakerDetectorTests {
    /// A conversation in virtual time, defined by who talks when.
    struct Conversation {
        var detector = ActiveSpeakerDetector()
        var now: Int64 = 0
        var changes: [(speaker: Int?, at: Int64)] = []

        /// Lets the `speakers` talk for `duration` ms, one packet each 20 ms.
        mutating func talk(_ speakers: [Int: Double], _ duration: Int64) {
            let end = now + duration
            while now < end {
                let time = MediaTime.milliseconds(now)
                if let due = detector.deadline, due <= time,
                    case .activeSpeakerChanged(let id)? = detector.handleTimeout(now: time)
                {
                    changes.append((id, now))
                }
                for (id, activity) in speakers { detector.receive(id: id, activity: activity, now: time) }
                now += 20
            }
        }
    }

    @Test func theFirstWhoTalksGetsTheFloorWithinASecond() {
        var talk = Conversation()
        talk.talk([:], 2000)
        #expect(talk.detector.deadline == nil)
        talk.talk([7: 1], 1000)
        #expect(talk.changes.map(\.speaker) == [7])
        #expect((2400...2700).contains(talk.changes[0].at), "\(talk.changes)")
        talk.talk([:], 60_000)
        #expect(talk.changes.count == 1 && talk.detector.activeSpeaker == 7, "the last speaker stays")
        #expect(talk.detector.deadline == nil, "nothing to decide in a silent session")
    }

    @Test func theNextSpeakerTakesOverWithinASecond() {
        var talk = Conversation()
        talk.talk([1: 1], 60_000)
        talk.talk([2: 1], 3000)
        #expect(talk.changes.map(\.speaker) == [1, 2])
        #expect((60_500...61_000).contains(talk.changes[1].at), "\(talk.changes)")
    }

    @Test("Coughs do not change the active speaker", arguments: [60, 120, 200, 240] as [Int64])
    func coughs(length: Int64) {
        var silence = Conversation()
        for _ in 0..<5 {
            silence.talk([1: 1], length)
            silence.talk([:], 4000)
        }
        #expect(silence.changes.isEmpty, "\(silence.changes)")

        var pauses = Conversation()
        pauses.talk([1: 0.7], 5000)
        for _ in 0..<10 {
            pauses.talk([:], 200)
            pauses.talk([2: 1], length)
            pauses.talk([:], 200)
            pauses.talk([1: 0.7], 2000)
            pauses.talk([1: 0.7, 2: 1], length)
            pauses.talk([1: 0.7], 1000)
        }
        #expect(pauses.changes.map(\.speaker) == [1])
    }

    @Test("A \"yes\" of half a second does not change the active speaker while that one pauses")
    func shortReplies() {
        var talk = Conversation()
        for _ in 0..<10 {
            talk.talk([1: 0.9], 4000)
            talk.talk([2: 0.9], 480)
        }
        #expect(talk.changes.map(\.speaker) == [1])
    }

    @Test func ofTwoWhoTalkAtOnceTheFirstStays() {
        var talk = Conversation()
        talk.talk([1: 0.8], 3000)
        talk.talk([1: 0.8, 2: 1], 30_000)
        #expect(talk.changes.map(\.speaker) == [1])
        talk.talk([2: 1], 1000)
        #expect(talk.changes.map(\.speaker) == [1, 2])
    }

    @Test("The echo of a voice in another microphone gives way to the voice")
    func echo() {
        var talk = Conversation()
        talk.talk([1: 0.6], 2000)
        talk.talk([1: 0.6, 2: 1], 3000)
        #expect(talk.changes.map(\.speaker) == [1, 2])
    }

    @Test func whoLeavesLosesTheFloorAtOnce() {
        var talk = Conversation()
        talk.talk([1: 1, 2: 0.9], 3000)
        #expect(talk.detector.activeSpeaker == 1)
        talk.detector.remove(id: 1)
        #expect(talk.detector.activeSpeaker == nil)
        talk.talk([2: 0.9], 100)
        #expect(talk.changes.map(\.speaker) == [1, 2], "the other one who is talking follows without a gap")
        talk.talk([:], 2000)
        talk.detector.remove(id: 2)
        talk.talk([:], 100)
        #expect(talk.changes.map(\.speaker) == [1, 2, nil])
        talk.detector.remove(id: 3)
        talk.talk([:], 1000)
        #expect(talk.changes.count == 3)
    }

    @Test("The order of packets does not matter", arguments: 0..<10 as Range<UInt64>)
    func orderDoesNotMatter(seed: UInt64) {
        func run(shuffle: UInt64) -> [Int?] {
            var order = SeededGenerator(seed: shuffle)
            var random = SeededGenerator(seed: seed)
            var detector = ActiveSpeakerDetector()
            var activity = [Double](repeating: 0, count: 50)
            var result: [Int?] = []
            for ms in stride(from: Int64(0), to: 20_000, by: 20) {
                let now = MediaTime.milliseconds(ms)
                for id in activity.indices where random.below(60) == 0 {
                    activity[id] = activity[id] > 0 || random.below(3) > 0 ? 0 : 0.6 + Double(random.below(5)) / 10
                }
                if let event = detector.handleTimeout(now: now), case .activeSpeakerChanged(let id) = event {
                    result.append(id)
                }
                for id in activity.indices.shuffled(using: &order) {
                    detector.receive(id: id, activity: activity[id], now: now)
                }
            }
            return result
        }
        let first = run(shuffle: 1)
        #expect(!first.isEmpty)
        #expect(first == run(shuffle: 2) && first == run(shuffle: 3))
    }

    @Test("Turns of 2,000 publishers, detected from the levels of their packets")
    func turns() {
        var random = SeededGenerator(seed: 77)
        var detector = ActiveSpeakerDetector()
        var trackers = Array(repeating: AudioLevelTracker(), count: 2000)
        var changes: [(speaker: Int?, at: Int64)] = []
        var turns: [(speaker: Int, at: Int64)] = []
        var talker = Talker(seed: 0, loudness: 90)
        for ms in stride(from: Int64(0), to: 40_000, by: 20) {
            let now = MediaTime.milliseconds(ms)
            if ms % 5000 == 0 {
                turns.append((random.below(2000), ms))
                talker = Talker(seed: random.next(), loudness: 75 + random.below(40))
            }
            if let event = detector.handleTimeout(now: now), case .activeSpeakerChanged(let id) = event {
                changes.append((id, ms))
            }
            let speaker = turns[turns.count - 1].speaker
            for id in trackers.indices {
                let noise = AudioLevel(level: UInt8(80 + random.below(40)), isVoice: false)
                trackers[id].receive(id == speaker ? talker.level(now: now) : noise, now: now)
                detector.receive(id: id, activity: trackers[id].activity, now: now)
            }
        }
        #expect(changes.map(\.speaker) == turns.map(\.speaker))
        for (change, turn) in zip(changes, turns) { #expect(change.at - turn.at < 1500, "\(change) of \(turn)") }
    }
}
