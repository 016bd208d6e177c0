import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Feedback for what comes in (draft-holmer-rmcat-transport-wide-cc-extensions-01)")
struct FeedbackMakerTests {
    static func maker() -> FeedbackMaker { FeedbackMaker(sender: SSRC(1), media: SSRC(2)) }

    /// Returns the statuses of one feedback packet: sequence number, and arrival in microseconds or nil.
    static func statuses(_ feedback: TransportCC) -> [UInt16: Int64?] {
        var result: [UInt16: Int64?] = [:]
        for offset in 0..<feedback.statusCount { result[feedback.baseSequence.rawValue &+ offset] = .some(nil) }
        feedback.forEachArrival { result[$0.rawValue] = $1.rawValue / 1_000 }
        return result
    }

    static func take(_ maker: inout FeedbackMaker, at now: MediaTime) throws -> TransportCC {
        let feedback = maker.take(now: now)
        return try #require(feedback)
    }

    @Test func onePacketWaitsALittleForOthers() throws {
        var maker = Self.maker()
        #expect(maker.deadline == nil)
        let nothing = maker.take(now: .seconds(1))
        #expect(nothing == nil)
        maker.receive(sequence: 5, bytes: 100, now: .milliseconds(100))
        maker.receive(sequence: 6, bytes: 100, now: .milliseconds(101))
        #expect(maker.deadline == .milliseconds(120))
        let early = maker.take(now: .milliseconds(119))
        #expect(early == nil)
        let feedback = try Self.take(&maker, at: .milliseconds(120))
        #expect(Self.statuses(feedback) == [5: 100_000, 6: 101_000])
        #expect(feedback.feedbackCount == 0 && feedback.sender == SSRC(1) && feedback.media == SSRC(2))
        let rest = maker.take(now: .seconds(9))
        #expect(rest == nil && maker.deadline == nil)
    }

    @Test("Lost packets are reported, across the wrap", arguments: [0, 10, 32_767, 32_768, 65_534, 65_535] as [UInt16])
    func gaps(first: UInt16) throws {
        var maker = Self.maker()
        maker.receive(sequence: first, bytes: 100, now: .milliseconds(0))
        let one = try Self.take(&maker, at: .seconds(1))
        #expect(Self.statuses(one) == [first: 0])
        maker.receive(sequence: first &+ 3, bytes: 100, now: .milliseconds(1_100))
        let two = try Self.take(&maker, at: .seconds(2))
        #expect(Self.statuses(two) == [first &+ 1: nil, first &+ 2: nil, first &+ 3: 1_100_000])
        #expect(two.feedbackCount == 1)
    }

    @Test func aLatePacketMovesTheStartBack() throws {
        var maker = Self.maker()
        for sequence in [1, 2, 4, 5] as [UInt16] {
            maker.receive(sequence: sequence, bytes: 100, now: .milliseconds(0))
        }
        _ = try Self.take(&maker, at: .seconds(1))
        maker.receive(sequence: 3, bytes: 100, now: .milliseconds(1_010))
        maker.receive(sequence: 6, bytes: 100, now: .milliseconds(1_020))
        let feedback = try Self.take(&maker, at: .seconds(2))
        #expect(Self.statuses(feedback) == [3: 1_010_000, 4: 0, 5: 0, 6: 1_020_000])
        maker.receive(sequence: 3, bytes: 100, now: .milliseconds(2_010))
        #expect(maker.deadline == nil, "a duplicate is no news")
    }

    @Test(
        "The rate sets the interval: feedback takes at most 5 % of the incoming rate",
        arguments: [20, 64, 500, 3_000, 20_000] as [Int64])
    func interval(kilobits: Int64) {
        var maker = Self.maker()
        var reports = 0
        var statuses = 0
        var bytes = 0
        var sent = 0
        var random = SeededGenerator(seed: UInt64(kilobits))
        var owed = 0.0
        for now in 0..<10_000 as Range<Int64> {
            owed += Double(kilobits) / 8 * (0.5 + Double(random.below(1_000)) / 1_000)
            while owed >= 600 {
                owed -= 600
                maker.receive(sequence: UInt16(truncatingIfNeeded: sent), bytes: 600, now: .milliseconds(now))
                sent += 1
            }
            while let feedback = maker.take(now: .milliseconds(now)) {
                reports += 1
                statuses += feedback.arrivals.count
                var wire: [UInt8] = []
                feedback.write(into: &wire)
                #expect(wire.count <= 1_200)
                bytes += wire.count
            }
        }
        #expect(statuses <= sent && statuses >= sent - max(50, Int(kilobits) / 10))
        #expect((MediaTime.milliseconds(50)...(.milliseconds(250))).contains(maker.interval))
        // 20 kb/s are five packets a second: the shortest useful interval is 250 ms.
        let share = Double(bytes + reports * 50) / Double(kilobits * 1_250)
        #expect(share <= (kilobits <= 20 ? 0.25 : 0.1), "\(share)")
        #expect((30...205).contains(reports), "\(reports)")
        if kilobits >= 3_000 { #expect(reports >= 150) }
    }

    @Test("While the rate is unknown each packet is reported within 20 ms, later at the interval of the rate")
    func start() {
        var maker = Self.maker()
        var reports: [Int64] = []
        var sequence: UInt16 = 65_500
        for now in 0..<600 as Range<Int64> {
            if now % 5 == 0 {
                maker.receive(sequence: sequence, bytes: 1_000, now: .milliseconds(now))
                sequence &+= 1
            }
            while let feedback = maker.take(now: .milliseconds(now)) {
                reports.append(now)
                for arrival in Self.statuses(feedback).values where now < 200 {
                    #expect(now * 1_000 - (arrival ?? 0) <= 20_000, "at \(now) ms")
                }
            }
        }
        #expect(reports.first == 20 && reports.count { $0 < 200 } >= 8, "\(reports)")
        let later = reports.filter { $0 >= 200 }
        #expect(zip(later, later.dropFirst()).allSatisfy { $1 - $0 >= 50 } && later.count >= 6, "\(reports)")
    }

    @Test("Video that begins beside audio is reported within 70 ms", arguments: (0..<35).map { Int64($0) * 7 })
    func framesBesideAudio(offset: Int64) {
        var maker = Self.maker()
        let start = 2_000 + offset
        var sequence: UInt16 = 0
        var first: UInt16?
        var told: Int64?
        for now in 0..<3_000 as Range<Int64> {
            if now % 20 == 0 {
                maker.receive(sequence: sequence, bytes: 160, now: .milliseconds(now))
                sequence &+= 1
            }
            if now >= start, (now - start) % 33 == 0 {
                first = first ?? sequence
                for _ in 0..<4 {
                    maker.receive(sequence: sequence, bytes: 1_000, now: .milliseconds(now))
                    sequence &+= 1
                }
            }
            while let feedback = maker.take(now: .milliseconds(now)) {
                if told == nil, let first, Self.statuses(feedback)[first] != nil { told = now }
            }
        }
        #expect((told ?? .max) - start <= 70, "\(told ?? -1) for \(start)")
    }

    @Test(
        "Each packet that arrived is reported at least once, and no other packet is", arguments: 0..<40 as Range<UInt64>
    )
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var maker = Self.maker()
        var arrived: [UInt16: Int64] = [:]
        var told: Set<UInt16> = []
        var delayed: [(at: Int64, sequence: UInt16)] = []
        let first = UInt16(truncatingIfNeeded: random.next())
        for index in 0..<3_000 as Range<Int64> {
            let now = index * 2
            let sequence = first &+ UInt16(truncatingIfNeeded: index)
            switch random.below(20) {
            case 0: break
            case 1: delayed.append((now + Int64(random.below(40)), sequence))
            default: delayed.append((now, sequence))
            }
            for packet in delayed where packet.at <= now {
                maker.receive(sequence: packet.sequence, bytes: 500, now: .milliseconds(now))
                if arrived[packet.sequence] == nil { arrived[packet.sequence] = now * 1_000 }
                if random.below(10) == 0 {
                    maker.receive(sequence: packet.sequence, bytes: 500, now: .milliseconds(now + 1))
                }
            }
            delayed.removeAll { $0.at <= now }
            while let feedback = maker.take(now: .milliseconds(now)) {
                for (sequence, arrival) in Self.statuses(feedback) {
                    guard let arrival else { continue }
                    told.insert(sequence)
                    #expect(arrived[sequence] == arrival)
                }
            }
        }
        while let feedback = maker.take(now: .seconds(60)) {
            told.formUnion(feedback.arrivals.map(\.sequence.rawValue))
        }
        #expect(told == Set(arrived.keys))
    }

    @Test("A jump of the numbers restarts the feedback", arguments: [2_049, 5_000, 32_000, 40_000, 60_000] as [UInt16])
    func jumps(step: UInt16) throws {
        var maker = Self.maker()
        maker.receive(sequence: 100, bytes: 100, now: .zero)
        maker.receive(sequence: 100 &+ step, bytes: 100, now: .milliseconds(1))
        var told: Set<UInt16> = []
        while let feedback = maker.take(now: .seconds(1)) {
            #expect(feedback.statusCount <= 2_048)
            told.formUnion(feedback.arrivals.map(\.sequence.rawValue))
        }
        #expect(told.contains(100 &+ step))
        maker.receive(sequence: 101 &+ step, bytes: 100, now: .seconds(2))
        let last = try Self.take(&maker, at: .seconds(3))
        #expect(last.arrivals.map(\.sequence.rawValue) == [101 &+ step])
    }

    @Test("Hostile numbers and times neither trap nor use more memory", arguments: 0..<20 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var maker = Self.maker()
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += random.below(50) == 0 ? Int64(random.below(20_000)) : Int64(random.below(3))
            maker.receive(
                sequence: UInt16(truncatingIfNeeded: random.next()), bytes: random.below(1_500), now: .milliseconds(now)
            )
            guard random.below(20) == 0 else { continue }
            var count = 0
            while maker.take(now: .milliseconds(now)) != nil { count += 1 }
            #expect(count <= 40)
        }
    }
}
