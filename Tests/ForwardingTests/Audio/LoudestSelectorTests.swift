import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("The loudest audio streams of a session")
struct LoudestSelectorTests {
    static let silent: UInt8 = 127

    /// Sends a packet of all `streams` every 20 ms from `start` until `end`. - Returns: each decision.
    @discardableResult
    static func run(
        _ selector: inout LoudestSelector, _ start: Int64, _ end: Int64, _ streams: [(id: Int, level: UInt8)],
        _ body: (Int, LoudestSelector.Decision, MediaTime) -> Void = { _, _, _ in }
    ) -> MediaTime {
        for ms in stride(from: start, to: end, by: 20) {
            for stream in streams {
                let now = MediaTime.milliseconds(ms)
                body(stream.id, selector.receive(id: stream.id, level: stream.level, voice: false, now: now), now)
            }
        }
        return .milliseconds(end)
    }

    @Test func forwardsEverythingWithoutALimit() {
        var selector = LoudestSelector(limit: 0)
        for id in 0..<100 {
            #expect(selector.receive(id: id, level: Self.silent, voice: false, now: .zero) == .forward)
        }
        #expect(selector.selected.isEmpty)
        #expect(LoudestSelector().limit == 10)
        #expect(LoudestSelector(limit: -1).limit == 0)
    }

    @Test("If the limit is the number of streams, all pass, silent or not")
    func fewStreams() {
        var selector = LoudestSelector()
        var seen: [Int: [LoudestSelector.Decision]] = [:]
        Self.run(&selector, 0, 10_000, (0..<10).map { ($0, $0 % 2 == 0 ? Self.silent : 30) }) { id, decision, _ in
            seen[id, default: []].append(decision)
        }
        for decisions in seen.values {
            #expect(decisions.first == .admitted)
            #expect(decisions.dropFirst().allSatisfy { $0 == .forward })
        }
        #expect(seen.count == 10 && selector.replacements == 0)
    }

    @Test("An audible stream replaces a silent one with its first packet")
    func firstWord() {
        var selector = LoudestSelector(limit: 3)
        Self.run(&selector, 0, 2500, [(1, Self.silent), (2, 40), (3, 40)])
        #expect(selector.receive(id: 9, level: 66, voice: false, now: .milliseconds(2500)) == .withhold)
        #expect(selector.receive(id: 9, level: 65, voice: false, now: .milliseconds(2500)) == .admitted)
        #expect(selector.receive(id: 9, level: 65, voice: false, now: .milliseconds(2520)) == .forward)
        #expect(selector.receive(id: 1, level: Self.silent, voice: false, now: .milliseconds(2520)) == .withhold)
        #expect(Set(selector.selected) == [2, 3, 9])
    }

    @Test("A member stays selected for two seconds after its last audible packet, against streams that are not louder")
    func twoSecondsOfSilence() {
        var selector = LoudestSelector(limit: 1)
        _ = selector.receive(id: 1, level: 30, voice: true, now: .zero)
        // Long enough at one level for the meter to settle there; from then on the stream is silent.
        Self.run(&selector, 20, 1000, [(1, 30)])
        var admitted: MediaTime?
        Self.run(&selector, 1000, 4000, [(1, 64), (2, 64)]) { id, decision, now in
            if id == 2, decision == .admitted { admitted = admitted ?? now }
        }
        #expect(admitted == nil, "64 is audible: the member never falls silent")
        Self.run(&selector, 4000, 7000, [(1, 66), (2, 64)]) { id, decision, now in
            if id == 2, decision == .admitted { admitted = admitted ?? now }
        }
        // The last audible packet was at 3980.
        #expect(admitted == .milliseconds(5980))
    }

    @Test("A stream that is 8 dB louder is admitted within 150 ms, 3 dB louder after a second, equally loud never")
    func margins() {
        for (level, range) in [(22, 20...150), (27, 1000...1200), (30, nil), (31, nil)]
            as [(UInt8, ClosedRange<Int64>?)]
        {
            var selector = LoudestSelector(limit: 2)
            Self.run(&selector, 0, 3000, [(1, 30), (2, 20)])
            var admitted: Int64?
            Self.run(&selector, 3000, 10_000, [(1, 30), (2, 20), (3, level)]) { id, decision, now in
                if id == 3, decision == .admitted { admitted = admitted ?? now.rawValue / 1_000_000 - 3000 }
            }
            if let range {
                #expect(admitted.map { range.contains($0) } == true, "level \(level): \(String(describing: admitted))")
            } else {
                #expect(admitted == nil, "level \(level): \(String(describing: admitted))")
            }
        }
    }

    @Test("One loud click replaces no member")
    func click() {
        var selector = LoudestSelector(limit: 1)
        Self.run(&selector, 0, 3000, [(1, 30)])
        #expect(selector.receive(id: 2, level: 10, voice: false, now: .milliseconds(3000)) == .withhold)
    }

    @Test("A stream that replaced another stays selected for at least a second")
    func shortestStay() {
        var selector = LoudestSelector(limit: 1)
        Self.run(&selector, 0, 1000, [(1, 40)])
        var changes: [(id: Int, at: MediaTime)] = []
        // Each stream is louder than the previous one.
        Self.run(&selector, 1000, 6000, (1...5).map { ($0, UInt8(45 - $0 * 9)) }) { id, decision, now in
            if decision == .admitted { changes.append((id, now)) }
        }
        #expect(changes.last?.id == 5)
        for (before, after) in zip(changes, changes.dropFirst()) {
            #expect(after.at - before.at >= LoudestSelector.shortestStay)
        }
    }

    @Test("Muted and removed streams free their slots at once")
    func removal() {
        var selector = LoudestSelector(limit: 2)
        Self.run(&selector, 0, 1000, [(1, 30), (2, 30), (3, 90)])
        #expect(Set(selector.selected) == [1, 2])
        selector.remove(id: 1)
        selector.remove(id: 77)
        #expect(selector.selected == [2])
        #expect(selector.receive(id: 3, level: 90, voice: false, now: .milliseconds(1000)) == .admitted)
        #expect(selector.receive(id: 1, level: 50, voice: false, now: .milliseconds(1001)) == .admitted, "3 is silent")
    }

    @Test("Streams without levels pass and take no slot")
    func noLevels() {
        var selector = LoudestSelector(limit: 2)
        for ms in stride(from: Int64(0), to: 1000, by: 20) {
            for id in 100..<150 {
                #expect(selector.receive(id: id, level: nil, voice: false, now: .milliseconds(ms)) == .forward)
            }
            _ = selector.receive(id: 1, level: 20, voice: true, now: .milliseconds(ms))
            _ = selector.receive(id: 2, level: 20, voice: true, now: .milliseconds(ms))
        }
        #expect(Set(selector.selected) == [1, 2])
    }

    @Test("Speech is preferred over other audio of the same loudness")
    func voiceFirst() {
        var selector = LoudestSelector(limit: 1)
        for ms in stride(from: Int64(0), to: 4000, by: 20) {
            _ = selector.receive(id: 1, level: 30, voice: false, now: .milliseconds(ms))
            _ = selector.receive(id: 2, level: 30, voice: true, now: .milliseconds(ms))
        }
        #expect(selector.selected == [2])
    }

    @Test("Levels beyond the scale and times that go back are harmless", arguments: [128, 255] as [UInt8])
    func impossibleInput(level: UInt8) {
        var selector = LoudestSelector(limit: 1)
        _ = selector.receive(id: 1, level: level, voice: true, now: .milliseconds(500))
        _ = selector.receive(id: 2, level: 0, voice: true, now: .milliseconds(100))
        _ = selector.receive(id: .min, level: level, voice: true, now: .zero)
        _ = selector.receive(id: .max, level: 0, voice: true, now: .milliseconds(-1))
        #expect(selector.selected.count == 1)
    }
}
