import MediaBase
import RTP
import Testing

@testable import Forwarding

@Suite("Packets sent on a path")
struct SentPacketRingTests {
    /// Records packets at a rate; the last one is sent at the returned time.
    private static func fill(_ ring: inout SentPacketRing, _ count: Int, perSecond: Int, from: MediaTime) -> MediaTime {
        var now = from
        for i in 0..<count {
            now = from + .microseconds(Int64(i) * 1_000_000 / Int64(perSecond))
            _ = ring.append(bytes: 1 + i % 1_400, now: now)
        }
        return now
    }

    @Test("Packets of the last two seconds are kept at any rate that fits", arguments: [20, 250, 400, 900])
    func growsWithTheRate(perSecond: Int) {
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        let count = 4 * SentPacketRing.maximumCapacity + 17
        let end = Self.fill(&ring, count, perSecond: perSecond, from: .seconds(1))
        #expect(ring.capacity <= SentPacketRing.maximumCapacity)
        #expect(perSecond > 250 || ring.capacity == SentPacketRing.firstCapacity)
        let kept = min(count, 2 * perSecond)
        for back in 1...kept {
            let sequence = count - back
            #expect(ring.find(Int64(sequence))?.bytes == 1 + sequence % 1_400)
        }
        #expect(ring.find(Int64(count - ring.capacity)) != nil)
        #expect(ring.find(Int64(count - ring.capacity - 1)) == nil && ring.find(Int64(count)) == nil)
        #expect(ring.find(-1) == nil && ring.find(.max) == nil && ring.find(.min) == nil)
        #expect(ring.find(Int64(count - 1))?.time == UInt32(truncatingIfNeeded: end.rawValue / 1_000))
    }

    @Test("A burst grows the ring no further than its limit, and recorded packets are kept") func burst() {
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        for i in 0..<700 { _ = ring.append(bytes: 100 + i, probe: UInt16(i), now: .seconds(5)) }
        #expect(ring.capacity == 1_024)
        for i in 0..<700 {
            #expect(ring.find(Int64(i))?.bytes == 100 + i && ring.find(Int64(i))?.probe == UInt16(i))
        }
        for _ in 0..<100_000 { _ = ring.append(bytes: 100, now: .seconds(5)) }
        #expect(ring.capacity == SentPacketRing.maximumCapacity)
    }

    @Test("The ring of a pipe grows further") func pipe() {
        var ring = SentPacketRing(maximum: SentPacketRing.maximumPipeCapacity)
        defer { ring.deallocate() }
        #expect(ring.capacity == SentPacketRing.firstCapacity)
        for i in 0..<200_000 { _ = ring.append(bytes: 100 + i % 1_000, now: .seconds(5)) }
        #expect(ring.capacity == SentPacketRing.maximumPipeCapacity)
        #expect(ring.find(200_000 - Int64(ring.capacity)) != nil && ring.find(199_999)?.bytes == 1_099)
    }

    @Test("Feedback is kept as long as the packet, and does not change its length") func feedback() throws {
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        for _ in 0..<10 { _ = ring.append(bytes: 20_000, now: .zero) }
        let pointer = try #require(ring.pointer(of: 3))
        pointer.pointee.setTold()
        pointer.pointee.setCome()
        let entry = try #require(ring.find(3))
        #expect(entry.isTold && entry.hasCome && entry.bytes == 0x3fff)
        #expect(ring.find(4).map { $0.isTold || $0.hasCome } == false)
        ring.forgetFeedback()
        #expect(ring.find(3).map { $0.isTold || $0.hasCome } == false)
        #expect(ring.find(3)?.bytes == 0x3fff)
        pointer.pointee.setTold()
        _ = Self.fill(&ring, SentPacketRing.firstCapacity, perSecond: 10, from: .seconds(10))
        #expect(ring.find(Int64(SentPacketRing.firstCapacity + 3)).map { $0.isTold } == false)
    }

    @Test("A new estimator gets the feedback on packets that were sent under the previous one") func anotherEstimator()
    {
        var ring = SentPacketRing()
        defer { ring.deallocate() }
        for _ in 0..<40 { _ = ring.append(bytes: 1_000, now: .milliseconds(100)) }
        let feedback = TransportCC(
            sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(0), statusCount: 40, referenceTime: 1,
            feedbackCount: 0, arrivals: (0..<40).map { .init(sequence: SequenceNumber(UInt16($0)), delta: 1) })
        func acknowledged(_ history: inout FeedbackHistory) -> Int {
            var count = 0
            withUnsafePointer(to: &ring) {
                history.receive(
                    feedback, sent: $0, now: .milliseconds(200), restarted: {}, untold: { _, _ in },
                    { _ in count += 1 })
            }
            return count
        }
        var first = FeedbackHistory()
        #expect(acknowledged(&first) == 40 && acknowledged(&first) == 0)
        ring.forgetFeedback()
        var second = FeedbackHistory()
        #expect(acknowledged(&second) == 40)
    }
}
