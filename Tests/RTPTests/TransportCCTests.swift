import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1)")
struct TransportCCTests {
    static func feedback(
        base: UInt16, count: UInt16, reference: Int32 = 0, _ arrivals: [(UInt16, Int16)]
    ) -> TransportCC {
        TransportCC(
            sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(base), statusCount: count,
            referenceTime: reference, feedbackCount: 9,
            arrivals: arrivals.map { .init(sequence: SequenceNumber($0.0), delta: $0.1) })
    }

    @Test("Section 3.1.3: run length chunk") func runLength() throws {
        let feedback = Self.feedback(base: 10, count: 3, reference: -1, [(10, 4), (11, 5), (12, 6)])
        let bytes = TestVector.bytes(
            hexadecimal: "8fcd0006 00000001 00000002 000a0003 ffffff09 20030405 06000000")
        #expect(written(feedback.write) == bytes)
        #expect(try withPacket(bytes) { try TransportCC(parsing: $0) } == feedback)
    }

    @Test("Section 3.1.4: status vector of one-bit symbols") func oneBitVector() throws {
        let feedback = Self.feedback(base: 0xffff, count: 14, [(0xffff, 1), (1, 2), (12, 255)])
        // 1 0, then 1 0 1 0 0 0 0 0 0 0 0 0 0 1
        let bytes = TestVector.bytes(
            hexadecimal: "8fcd0006 00000001 00000002 ffff000e 00000009 a8010102 ff000000")
        #expect(written(feedback.write) == bytes)
        #expect(try withPacket(bytes) { try TransportCC(parsing: $0) } == feedback)
    }

    @Test("Section 3.1.4: status vector of two-bit symbols") func twoBitVector() throws {
        let feedback = Self.feedback(base: 0, count: 7, [(0, 1), (2, -1), (6, 256)])
        // 1 1, then 01 00 10 00 00 00 10
        let bytes = TestVector.bytes(
            hexadecimal: "8fcd0006 00000001 00000002 00000007 00000009 d202 01 ffff 0100 00")
        var whole = bytes
        while whole.count < 28 { whole.append(0) }
        #expect(written(feedback.write) == whole)
        #expect(try withPacket(whole) { try TransportCC(parsing: $0) } == feedback)
    }

    @Test("Any mix of statuses is written as it is read", arguments: 0..<60 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = 1 + random.below(seed % 3 == 0 ? 20_000 : 60)
        let base = UInt16(truncatingIfNeeded: random.next())
        var arrivals: [(UInt16, Int16)] = []
        var stay = 0
        var kind = 0
        for index in 0..<count {
            if stay == 0 {
                kind = random.below(3)
                stay = 1 + random.below(random.below(8) == 0 ? 9_000 : 30)
            }
            stay -= 1
            let sequence = base &+ UInt16(truncatingIfNeeded: index)
            if kind == 1 { arrivals.append((sequence, Int16(random.below(256)))) }
            if kind == 2 { arrivals.append((sequence, Int16(truncatingIfNeeded: random.next()))) }
        }
        let feedback = Self.feedback(base: base, count: UInt16(count), reference: 0x7f_ffff, arrivals)
        #expect(try withPacket(written(feedback.write)) { try TransportCC(parsing: $0) } == feedback)
    }

    @Test("Memory is reused, and stays usable after an error") func readAgain() throws {
        var value = TransportCC()
        let many = Self.feedback(base: 7, count: 40, reference: 5, (0..<40).map { ($0 + 7, Int16($0) * 9 - 100) })
        let few = Self.feedback(base: 0xffff, count: 3, reference: -1, [(0xffff, 4), (1, -6)])
        for _ in 0..<3 {
            try withPacket(written(many.write)) { try value.read($0) }
            #expect(value == many)
            let cut = TestVector.bytes(hexadecimal: "8fcd0005 00000001 00000002 00000002 00000009 40020000")
            #expect(throws: RTPError.truncated(.transportDelta)) { try withPacket(cut) { try value.read($0) } }
            try withPacket(written(few.write)) { try value.read($0) }
            #expect(value == few)
        }
    }

    @Test func manyLostPacketsTakeNoRoom() throws {
        let feedback = Self.feedback(base: 1, count: .max, [])
        let bytes = written(feedback.write)
        #expect(bytes.count <= 40)
        #expect(try withPacket(bytes) { try TransportCC(parsing: $0) } == feedback)
    }

    @Test func arrivalTimesAreKept() throws {
        let packets: [(sequence: Int64, arrival: MediaTime)] = [
            (65_534, .microseconds(128_250)), (65_535, .microseconds(128_500)), (65_538, .microseconds(700_000)),
            (65_539, .microseconds(699_750)),
        ]
        let (feedback, count) = try #require(
            TransportCC.make(sender: SSRC(1), media: SSRC(2), feedbackCount: 3, packets: packets, previous: 65_530))
        #expect(count == 4)
        #expect(feedback.baseSequence.rawValue == 65_531 && feedback.statusCount == 9)
        #expect(feedback.referenceTime == 2)
        var seen: [(UInt16, MediaTime)] = []
        try withPacket(written(feedback.write)) { packet in
            try TransportCC(parsing: packet).forEachArrival { seen.append(($0.rawValue, $1)) }
        }
        #expect(seen.map(\.0) == [65_534, 65_535, 2, 3])
        #expect(seen.map(\.1) == packets.map(\.arrival))
    }

    @Test func whatDoesNotFitIsLeftForTheNext() {
        let far: [(sequence: Int64, arrival: MediaTime)] = [(1, .seconds(1)), (2, .seconds(1)), (3, .seconds(60))]
        #expect(TransportCC.make(sender: SSRC(1), media: SSRC(2), feedbackCount: 0, packets: far)?.count == 2)
        let wide: [(sequence: Int64, arrival: MediaTime)] = [(1, .zero), (70_000, .zero)]
        #expect(TransportCC.make(sender: SSRC(1), media: SSRC(2), feedbackCount: 0, packets: wide)?.count == 1)
        #expect(TransportCC.make(sender: SSRC(1), media: SSRC(2), feedbackCount: 0, packets: []) == nil)
    }

    @Test("Invalid statuses and deltas are refused") func refusals() {
        let head = "8fcd0004 00000001 00000002 00000002 00000009"
        let cases: [(String, RTPError)] = [
            (head, .truncated(.transportStatus)),
            (head.replacing("0004", with: "0005") + "60020000", .invalid(.transportStatus)),
            (head.replacing("0004", with: "0005") + "00000000", .invalid(.transportStatus)),
            (head.replacing("0004", with: "0005") + "40020000", .truncated(.transportDelta)),
            (head.replacing("0004", with: "0005") + "f0000000", .invalid(.transportStatus)),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") {
                try withPacket(TestVector.bytes(hexadecimal: text)) { try TransportCC(parsing: $0) }
            }
        }
    }
}
