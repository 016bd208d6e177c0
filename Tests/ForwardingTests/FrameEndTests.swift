import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

/// Frames of which the publisher's encoder leaves out spatial layers after it has sent lower ones without a marker bit.
@Suite("Ends of frames with spatial layers")
struct FrameEndTests {
    typealias Bench = SpatialLayerTests.Bench
    typealias Mode = SpatialLayerTests.Mode

    /// Checks that nothing is missing, and that the last packet of each frame has the marker bit.
    private func checkWhole(_ bench: Bench, _ expected: [Int64], _ comment: Comment = "") throws {
        let received = try bench.received()
        #expect(received.map(\.viewed.index) == expected, comment)
        #expect(received.map(\.viewed.sequence) == received.indices.map { Int64($0) + 100 }, comment)
        for (index, one) in received.enumerated() {
            let isLast = index + 1 == received.count || received[index + 1].packet.time != one.packet.time
            #expect(one.viewed.header.marker == isLast, "\(comment) \(one.viewed)")
        }
    }

    @Test(
        "A frame without its higher layers ends with a marker bit, for each limit",
        arguments: Mode.all.filter { $0.spatial > 1 }, [UInt8(0), 1, 2, 3])
    func leftOut(_ mode: Mode, _ limit: UInt8) throws {
        let bench = try Bench(mode, limit: limit)
        var random = SeededGenerator(seed: UInt64(limit) + 31)
        var expected: [Int64] = []
        for time in 0..<200 {
            let isKey = time % 50 == 0
            var left: Set<Int> = []
            if !isKey, time < 199 { for layer in 1..<mode.spatial where random.below(3) == 0 { left.insert(layer) } }
            let made = try bench.next(isKey: isKey, packets: 1 + random.below(2), leavingOut: left)
            expected += made.filter { bench.position($0) <= Int(limit) }.map(\.packet.index)
        }
        try checkWhole(bench, expected)
    }

    @Test(
        "The last packet of a lower layer waits for the next packet only if a higher layer may follow",
        arguments: [UInt8(0), 1, 2, 3])
    func waits(_ limit: UInt8) throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 3), limit: limit)
        try bench.next(isKey: true)
        let before = bench.subscriber.received.count
        try bench.next(isKey: false, leavingOut: [0, 1, 2])
        for _ in 0..<3 { try bench.next(isKey: false, leavingOut: [1, 2]) }
        // The last frame's first packet has been sent in any case. The frame is of a higher temporal layer, which limit 0 excludes.
        let sent = bench.subscriber.received.count - before
        #expect(sent == [2, 6, 5, 5][Int(limit)])
    }

    @Test("Missing packets and padding leave a frame without a marker bit that the publisher did not set")
    func gaps() throws {
        let bench = try Bench(
            Mode(spatial: 2, temporal: 1), rtx: RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97)))
        try bench.next(isKey: true)
        let packets = bench.source.next(isKey: false)
        // Both packets of the higher layer are late.
        for packet in packets.prefix(2) { try bench.feed(packet) }
        try bench.harness.flush()
        try bench.next(isKey: false)
        for packet in packets.suffix(2) { try bench.feed(packet) }
        try bench.harness.flush()
        let received = try bench.received()
        #expect(received.map(\.viewed.sequence) == (0..<12).map { Int64($0) + 100 })
        #expect(received.map(\.viewed.header.marker) == (0..<12).map { $0 % 4 == 3 })
    }

    @Test("A consumer that catches up stops at the undecided packet and gets it once")
    func catchesUp() throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 3), limit: nil)
        var expected: [Int64] = []
        for time in 0..<5 {
            let left: Set<Int> = time == 0 ? [] : [1, 2]
            expected += try bench.next(isKey: time == 0, leavingOut: left).map(\.packet.index)
        }
        bench.subscribe(3)
        try bench.harness.catchUpCompletely()
        #expect(bench.subscriber.received.count == expected.count - 1)
        expected += try bench.next(isKey: false).map(\.packet.index)
        try checkWhole(bench, expected)
    }

    @Test("Mute drops the undecided packet; after a change of audience no new consumer starts at it")
    func audience() throws {
        let bench = try Bench(Mode(spatial: 2, temporal: 1))
        try bench.next(isKey: true)
        try bench.next(isKey: false, packets: 1, leavingOut: [1])
        bench.producer.setMuted(true)
        bench.producer.setMuted(false)
        try bench.next(isKey: true)
        #expect(try bench.received().map(\.packet.time) == [0, 0, 0, 0, 2, 2, 2, 2])

        let other = try Bench(Mode(spatial: 2, temporal: 1), limit: nil)
        try other.next(isKey: true, packets: 1, leavingOut: [1])
        other.producer.startAnew()
        other.subscribe(3)
        try other.next(isKey: false)
        #expect(other.subscriber.received.isEmpty)
        try other.next(isKey: true)
        #expect(other.subscriber.received.count == 4)
    }

    @Test(
        "Any loss, order, change of limits and layers left out: no number is used twice or missing",
        arguments: UInt64(1)...12)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 6151)
        let modes = Mode.all.filter { $0.spatial > 1 }
        let mode = modes[Int(seed) % modes.count]
        let rtx = RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97))
        let bench = try Bench(mode, limit: UInt8(random.below(4)), rtx: rtx)
        var held: [SyntheticLayers.Packet] = []
        for time in 0..<300 {
            let isKey = time == 0 || random.below(40) == 0
            var left: Set<Int> = []
            if !isKey { for layer in 0..<mode.spatial where random.below(4) == 0 { left.insert(layer) } }
            for packet in bench.source.next(isKey: isKey, packets: 1 + random.below(3), leavingOut: left) {
                if time > 0, random.below(15) == 0 { held.append(packet) } else { try bench.feed(packet) }
                if random.below(4) == 0 { try bench.harness.flush() }
            }
            try bench.harness.flush()
            while !held.isEmpty, random.below(3) == 0 {
                guard bench.producer.latestSequence >= held[0].packet.index else { break }
                try bench.feed(held.removeFirst())
                try bench.harness.flush()
            }
            if random.below(12) == 0 { bench.limit(UInt8(random.below(4))) }
        }
        try bench.next(isKey: true)
        for packet in held { try bench.feed(packet) }
        try bench.harness.flush()
        try bench.checkNumbers()
    }
}
