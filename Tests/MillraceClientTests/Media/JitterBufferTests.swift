import MediaBase
import MillraceTestKit
import Testing

@testable import MillraceClient

@Suite("Jitter buffer") struct JitterBufferTests {
    static let duration = 960
    static let step = MediaTime.milliseconds(20)

    /// A sender of 50 packets a second behind an emulated link, and a buffer that plays the received packets.
    struct Run {
        var outputs: [(output: JitterBuffer.Output, at: MediaTime)] = []
        var buffer: JitterBuffer
        var sent = 0

        /// - Parameter silent: packets that are not sent, without a gap in the sequence numbers.
        init(
            _ conditions: LinkConditions, packets: Int = 1_000, seed: UInt64 = 1, silent: Range<Int> = 0..<0,
            change: (at: Int, to: LinkConditions)? = nil
        ) throws {
            let configuration = JitterBuffer.Configuration()
            buffer = JitterBuffer(configuration)
            let arrivals = try Self.arrivals(conditions, packets, seed, silent, change)
            sent = packets - silent.count
            var next = 0
            var now = MediaTime.zero
            while next < arrivals.count || buffer.deadline != .never {
                let arrival = next < arrivals.count ? arrivals[next].at : .never
                now = max(now, min(arrival, buffer.deadline))
                if arrival <= buffer.deadline {
                    let packet = arrivals[next]
                    next += 1
                    buffer.insert(
                        JitterBuffer.Packet(
                            sequence: packet.sequence, timestamp: packet.timestamp,
                            duration: JitterBufferTests.duration,
                            payload: []), now: now)
                } else {
                    buffer.handleTimeout(now: now)
                }
                while let output = buffer.nextOutput() { outputs.append((output, now)) }
            }
        }

        private static func arrivals(
            _ conditions: LinkConditions, _ packets: Int, _ seed: UInt64, _ silent: Range<Int>,
            _ change: (at: Int, to: LinkConditions)?
        ) throws -> [(sequence: Int64, timestamp: Int64, at: MediaTime)] {
            var random = SeededGenerator(seed: seed)
            var arrivals: [(sequence: Int64, timestamp: Int64, at: MediaTime)] = []
            var sequence: Int64 = 65_500
            for number in 0..<packets where !silent.contains(number) {
                let link = change.map { number >= $0.at ? $0.to : conditions } ?? conditions
                let sent = MediaTime.milliseconds(Int64(number) * 20)
                defer { sequence += 1 }
                if case .uniform(let loss) = link.loss, Double.random(in: 0..<1, using: &random) < loss { continue }
                var delay = link.delay
                if case .uniform(let most) = link.jitter {
                    delay += .nanoseconds(.random(in: 0...most.rawValue, using: &random))
                }
                if Double.random(in: 0..<1, using: &random) < link.reordering { delay += link.reorderingDelay }
                let copies = Double.random(in: 0..<1, using: &random) < link.duplication ? 2 : 1
                for _ in 0..<copies { arrivals.append((sequence, Int64(number) * 960, sent + delay)) }
            }
            return arrivals.sorted { $0.at < $1.at }
        }

        var played: [JitterBuffer.Packet] {
            outputs.compactMap { if case .packet(let packet) = $0.output { packet } else { nil } }
        }
        func count(_ matches: (JitterBuffer.Output) -> Bool) -> Int { outputs.count { matches($0.output) } }
        var lost: Int { count { if case .lost = $0 { true } else { false } } }
        var stretched: Int { count { if case .stretch = $0 { true } else { false } } }
        /// Times between two outputs while audio plays.
        var gaps: [MediaTime] { zip(outputs.dropFirst(), outputs).map { $0.at - $1.at } }
    }

    static func link(
        jitter: MediaTime = .zero, loss: Double = 0, reordering: Double = 0, duplication: Double = 0
    ) -> LinkConditions {
        var conditions = LinkConditions(loss: loss, delay: .milliseconds(40))
        if jitter > .zero { conditions.jitter = .uniform(jitter) }
        conditions.reordering = reordering
        conditions.reorderingDelay = .milliseconds(30)
        conditions.duplication = duplication
        return conditions
    }

    @Test("CAN-1 on a link without jitter the delay is minimal, and every packet is played once, in order")
    func even() throws {
        let run = try Run(Self.link())
        #expect(run.played.count == run.sent)
        #expect(run.played.map(\.sequence) == (65_500..<66_500).map { Int64($0) })
        #expect(run.lost == 0)
        #expect(run.buffer.targetDelay == .milliseconds(20))
        #expect(run.gaps.dropLast(10).allSatisfy { $0 == Self.step })
    }

    @Test(
        "CAN-1 the delay follows the jitter, after which nearly all packets arrive in time",
        arguments: [30, 60, 120, 250])
    func adapts(milliseconds: Int) throws {
        for seed in UInt64(1)...5 {
            let run = try Run(Self.link(jitter: .milliseconds(Int64(milliseconds))), packets: 3_000, seed: seed)
            let jitter = Double(milliseconds)
            #expect(run.buffer.targetDelay.milliseconds > jitter * 0.85)
            #expect(run.buffer.targetDelay.milliseconds < jitter * 1.15 + 25)
            // Counts only packets after the delay has settled.
            let late = run.outputs.suffix(2_000).count { if case .lost = $0.output { true } else { false } }
            #expect(late < 140, "\(late) of 2,000 came too late at \(milliseconds) ms")
            #expect(run.played.map(\.sequence) == run.played.map(\.sequence).sorted())
        }
    }

    @Test("CAN-1 the delay shrinks when the jitter does") func shrinks() throws {
        let run = try Run(
            Self.link(jitter: .milliseconds(200)), packets: 6_000, change: (at: 1_500, to: Self.link()))
        #expect(run.buffer.targetDelay < .milliseconds(60))
        #expect(run.buffer.statistics.skipped > 3)
        #expect(run.lost < 120)
    }

    @Test(
        "CAN-1 each lost packet is concealed once, with the following packet for its in-band FEC",
        arguments: [0.01, 0.1, 0.3])
    func conceals(loss: Double) throws {
        for seed in UInt64(1)...5 {
            let run = try Run(Self.link(jitter: .milliseconds(20), loss: loss), packets: 2_000, seed: seed)
            let expected = 2_000 * loss
            #expect(Double(run.lost) > expected * 0.6 && Double(run.lost) < expected * 1.4 + 40)
            var others: UInt64 = 0
            for (index, entry) in run.outputs.enumerated() {
                guard case .lost(_, _, let following?) = entry.output else { continue }
                // The following packet is played next, unless a growing delay inserts others before it.
                let next = run.outputs[(index + 1)...].first { if case .packet = $0.output { true } else { false } }
                guard case .packet(let packet) = next?.output else { continue }
                if packet.sequence != following.sequence { others += 1 }
            }
            // Packets that a shrinking delay skipped are the exception.
            #expect(others <= run.buffer.statistics.skipped)
            // Audio has no gap.
            #expect(run.gaps.dropLast(10).allSatisfy { $0 <= Self.step })
        }
    }

    @Test("CAN-1 reordered and duplicated packets are played in order and once") func reorders() throws {
        for seed in UInt64(1)...5 {
            let run = try Run(
                Self.link(jitter: .milliseconds(10), reordering: 0.2, duplication: 0.1), packets: 2_000, seed: seed)
            let sequences = run.played.map(\.sequence)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            #expect(run.played.count > 1_950)
            #expect(run.buffer.statistics.reordered > 100)
            #expect(run.buffer.statistics.late > 100)
        }
    }

    @Test("a sender that pauses causes no loss") func silence() throws {
        let run = try Run(Self.link(jitter: .milliseconds(10)), packets: 500, silent: 200..<300)
        #expect(run.lost == 0)
        #expect(run.played.count == 400)
        #expect(run.buffer.statistics.pauses >= 1)
    }

    @Test("a stream whose timestamps jump is played from the jump on") func restart() {
        var buffer = JitterBuffer()
        var played: [Int64] = []
        func packet(_ number: Int64, _ base: Int64) -> JitterBuffer.Packet {
            .init(sequence: number, timestamp: base + number * 960, duration: 960, payload: [])
        }
        for number in Int64(0)..<200 {
            let now = MediaTime.milliseconds(number * 20)
            buffer.insert(packet(number, number < 100 ? 0 : 900_000_000), now: now)
            buffer.handleTimeout(now: now)
            while let output = buffer.nextOutput() {
                if case .packet(let packet) = output { played.append(packet.sequence) }
            }
        }
        #expect(played.count > 190)
        #expect(played == played.sorted())
    }

    @Test("memory is bounded for any input") func bounded() {
        var random = SeededGenerator(seed: 3)
        var buffer = JitterBuffer()
        var now = MediaTime.zero
        for _ in 0..<20_000 {
            now += .microseconds(.random(in: 0...2_000, using: &random))
            buffer.insert(
                .init(
                    sequence: .random(in: -100_000...100_000, using: &random),
                    timestamp: .random(in: -(1 << 40)...(1 << 40), using: &random),
                    duration: .random(in: -10...6_000, using: &random), payload: []), now: now)
            if Bool.random(using: &random) { buffer.handleTimeout(now: now) }
            while buffer.nextOutput() != nil {}
            #expect(buffer.waiting <= .seconds(60))
        }
    }
}
