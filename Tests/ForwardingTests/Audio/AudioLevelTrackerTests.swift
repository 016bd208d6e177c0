import Forwarding
import MediaBase
import RTP
import Testing

@Suite("Loudness of one stream (RFC 6464)")
struct AudioLevelTrackerTests {
    /// Feeds a packet every 20 ms. - Returns: the activity of the last one.
    @discardableResult
    static func run(
        _ tracker: inout AudioLevelTracker, _ start: Int64, _ end: Int64, level: UInt8, voice: Bool = false
    ) -> Double {
        for ms in stride(from: start, to: end, by: 20) {
            tracker.receive(AudioLevel(level: level, isVoice: voice), now: .milliseconds(ms))
        }
        return tracker.activity
    }

    @Test func aStreamWithoutLevelsIsNotSilent() {
        var tracker = AudioLevelTracker()
        tracker.receive(nil, now: .zero)
        #expect(tracker.level == nil && tracker.activity == 0 && tracker.smoothedLevel(now: .zero) == nil)
    }

    @Test("A packet without level repeats the previous level for 2 s")
    func gapsInTheLevels() {
        var tracker = AudioLevelTracker()
        tracker.receive(AudioLevel(level: 30, isVoice: true), now: .zero)
        tracker.receive(nil, now: .milliseconds(2000))
        #expect(tracker.level == 30 && tracker.isVoice && tracker.activity > 0)
        tracker.receive(nil, now: .milliseconds(2001))
        #expect(tracker.level == nil && !tracker.isVoice && tracker.activity == 0)
        tracker.receive(AudioLevel(level: 31, isVoice: true), now: .milliseconds(2002))
        #expect(tracker.level == 31)
    }

    @Test func followsRisesFasterThanFalls() throws {
        var tracker = AudioLevelTracker()
        Self.run(&tracker, 0, 1000, level: 90)
        Self.run(&tracker, 1000, 1200, level: 30)
        let risen = try #require(tracker.smoothedLevel(now: .milliseconds(1200)))
        #expect((30...33).contains(risen))
        Self.run(&tracker, 1200, 1400, level: 90)
        let falling = try #require(tracker.smoothedLevel(now: .milliseconds(1400)))
        #expect((45...60).contains(falling))
    }

    @Test func fallsSilentWithoutPackets() throws {
        var tracker = AudioLevelTracker()
        Self.run(&tracker, 0, 1000, level: 20)
        #expect(tracker.smoothedLevel(now: .milliseconds(1080)) == 20)
        #expect(try #require(tracker.smoothedLevel(now: .milliseconds(3000))) > 120)
    }

    @Test("Speech is detected by level if the sender never sets the voice flag")
    func speechByLevel() {
        var tracker = AudioLevelTracker()
        #expect(Self.run(&tracker, 0, 1000, level: 100) == 0)
        #expect(Self.run(&tracker, 1000, 2000, level: 30) >= 0.6)
        #expect(Self.run(&tracker, 2000, 3000, level: 71) == 0, "softer than -70 dBov")
    }

    @Test("Once a sender has set the voice flag, packets without it are not speech")
    func speechByFlag() {
        var tracker = AudioLevelTracker()
        #expect(Self.run(&tracker, 0, 200, level: 30, voice: true) >= 0.6)
        #expect(Self.run(&tracker, 200, 400, level: 20) == 0)
        #expect(Self.run(&tracker, 400, 600, level: 100, voice: true) == 0, "marked, but not to be heard")
    }

    @Test("A fan counts as speech for a while and then as noise; a voice over it is speech")
    func noise() {
        var tracker = AudioLevelTracker()
        #expect(Self.run(&tracker, 0, 2000, level: 50) > 0)
        #expect(Self.run(&tracker, 2000, 30_000, level: 50) == 0)
        #expect(Self.run(&tracker, 30_000, 30_500, level: 25) > 0)
    }

    @Test("The activity grows with the level above the noise")
    func weight() {
        var soft = AudioLevelTracker()
        var loud = AudioLevelTracker()
        Self.run(&soft, 0, 1000, level: 110)
        Self.run(&loud, 0, 1000, level: 110)
        let quiet = Self.run(&soft, 1000, 1100, level: 60)
        let full = Self.run(&loud, 1000, 1100, level: 10)
        #expect(quiet >= 0.6 && quiet < 0.8 && full == 1)
    }
}
