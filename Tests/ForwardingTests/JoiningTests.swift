import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Joining a running stream")
struct JoiningTests {
    @Test(
        "A new subscriber gets every packet from the last key frame on, then the live ones, nothing twice",
        arguments: [1, 3, 40])
    func cached(_ framesSinceKey: Int) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video, firstSequence: 65_500)
        let producer = harness.producer(source)
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.feed(source.frame(isKey: false), to: producer)
        var expected: [SourcePacket] = []
        for f in 0..<framesSinceKey { expected += source.frame(isKey: f == 0) }
        try harness.feed(expected, to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(!harness.subscribe(subscriber, to: producer, progress: .init(firstSequence: 9)))
        #expect(harness.router.isCatchingUp)
        try harness.catchUpCompletely()
        #expect(subscriber.received.map(\.index) == expected.map(\.index))
        let live = source.frame(isKey: false)
        try harness.feed(live, to: producer)
        try harness.flush()
        try FanoutTests.expectRun(
            subscriber.received, expected + live, first: 9, ssrc: subscriber.received[0].header.ssrc,
            payloadType: PayloadType(96))
    }

    @Test(
        "Packets that arrive while a subscriber catches up, including late and missing ones, are delivered once",
        arguments: UInt64(1)...8)
    func meanwhile(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video, seed: seed)
        let producer = harness.producer(source)
        let witness = try harness.subscriber()
        harness.subscribe(witness, to: producer)
        var cached: [SourcePacket] = []
        for f in 0..<50 { cached += source.frame(isKey: f == 0) }
        try harness.feed(cached, to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        var forwarded = cached
        var held: [SourcePacket] = []
        var turns = 0
        while harness.router.isCatchingUp || turns < 20 {
            turns += 1
            try #require(turns < 500)
            for packet in source.frame(isKey: false, packets: 1 + random.below(6)) {
                switch random.below(8) {
                case 0: held.append(packet)
                case 1: break  // lost
                default:
                    try harness.feed([packet], to: producer)
                    forwarded.append(packet)
                }
            }
            while held.count > 3 || (!held.isEmpty && random.below(3) == 0) {
                let packet = held.remove(at: random.below(held.count))
                try harness.feed([packet], to: producer)
                forwarded.append(packet)
            }
            if random.below(2) == 0 { try harness.flush() }
            try harness.catchUp()
        }
        try harness.flush()
        #expect(witness.received.map(\.index).sorted() == forwarded.map(\.index).sorted())
        #expect(subscriber.received.map(\.index).sorted() == forwarded.map(\.index).sorted())
        #expect(
            subscriber.received.allSatisfy {
                $0.sequence - subscriber.received[0].sequence == $0.index - cached[0].index
            })
    }

    @Test("A new subscriber starts with the newest key frame, not an older one")
    func newest() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<9 { try harness.feed(source.frame(isKey: f % 3 == 0), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        try harness.catchUpCompletely()
        #expect(subscriber.received.count == 12)
        #expect(subscriber.received[0].descriptor?.isKeyFrameStart == true)
    }

    @Test("Several subscribers that join at different times each get their own complete stream")
    func several() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        var subscribers: [(subscriber: Subscriber, from: Int64)] = []
        var key: Int64 = 0
        for f in 0..<40 {
            let frame = source.frame(isKey: f % 15 == 0, packets: 7)
            if f % 15 == 0 { key = frame[0].index }
            try harness.feed(frame, to: producer)
            try harness.catchUp()
            if f % 4 == 1 {
                let subscriber = try harness.subscriber(f % 8 == 1 ? .aeadAES128GCM : .aesCM128HMACSHA1_32)
                #expect(!harness.subscribe(subscriber, to: producer))
                subscribers.append((subscriber, key))
            }
        }
        try harness.catchUpCompletely()
        for (subscriber, from) in subscribers {
            #expect(subscriber.received.map(\.index) == Array(from..<source.nextIndex))
        }
    }

    @Test("Without a cached key frame a new subscriber waits for one, and it is requested")
    func nothingCached() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let first = try harness.subscriber()
        #expect(harness.subscribe(first, to: producer))
        try harness.feed(source.frame(isKey: false), to: producer)
        try harness.flush()
        #expect(first.datagramCount == 0)
        let frame = source.frame(isKey: true)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(first.received.map(\.index) == frame.map(\.index))
    }

    @Test("Cached frames with a missing packet are not sent: a key frame is requested")
    func holeInCache() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        var packets = source.frame(isKey: true) + source.frame(isKey: false)
        let lost = packets.remove(at: 5)
        try harness.feed(packets, to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(harness.subscribe(subscriber, to: producer))
        // The missing packet arrives late: the next subscriber gets the cached frames complete.
        try harness.feed([lost], to: producer)
        try harness.flush()
        let second = try harness.subscriber()
        #expect(!harness.subscribe(second, to: producer))
        try harness.catchUpCompletely()
        #expect(second.received.count == 8)
    }

    @Test("Cached frames that no longer fit the ring are not sent")
    func tooLongAgo() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source, retransmissionBytes: 128 << 10)
        try harness.feed(source.frame(isKey: true), to: producer)
        for _ in 0..<60 { try harness.feed(source.frame(isKey: false), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(harness.subscribe(subscriber, to: producer))
    }

    @Test("A ring that wraps while a subscriber catches up leaves a gap, not wrong packets")
    func overtaken() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source, retransmissionBytes: 128 << 10)
        for f in 0..<28 { try harness.feed(source.frame(isKey: f == 0), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(!harness.subscribe(subscriber, to: producer))
        try harness.catchUp()
        for _ in 0..<100 { try harness.feed(source.frame(isKey: false), to: producer) }
        try harness.catchUpCompletely()
        let indices = subscriber.received.map(\.index)
        #expect(indices == indices.sorted() && Set(indices).count == indices.count)
        #expect(indices.first == 1000 && indices.last == source.nextIndex - 1)
        #expect(subscriber.received.allSatisfy { $0.sequence - subscriber.received[0].sequence == $0.index - 1000 })
    }

    @Test("Padding in place of late packets above the layer limit is sent a few packets at a time like all others")
    func replaced() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let key = source.frame(isKey: true, packets: 2)
        let above = source.frame(isKey: false, packets: 400, sizes: [60], layer: 2)
        let last = source.frame(isKey: false, packets: 2)
        try harness.feed(key + last + above, to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(!harness.subscribe(subscriber, to: producer, layerLimit: 0))
        var before = 0
        while harness.router.isCatchingUp {
            try harness.catchUp()
            // A batch has room for a fixed number of packets of each path that catches up.
            try #require((1...16).contains(subscriber.datagramCount - before))
            before = subscriber.datagramCount
        }
        #expect(subscriber.received.map(\.index) == (key + last).map(\.index))
        #expect(subscriber.streams.fillers.values.first?.count == 400)
    }

    @Test("A key frame whose first packet arrives after others of it is delivered complete", arguments: [false, true])
    func lateStart(_ flushedBetween: Bool) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber()
        #expect(harness.subscribe(subscriber, to: producer))
        let frame = source.frame(isKey: true, packets: 6)
        for i in [1, 2, 3] { try harness.feed([frame[i]], to: producer) }
        if flushedBetween { try harness.flush() }
        for i in [0, 4, 5] { try harness.feed([frame[i]], to: producer) }
        try harness.flush()
        try harness.catchUpCompletely()
        #expect(subscriber.received.map(\.index).sorted() == frame.map(\.index))
        let next = source.frame(isKey: false)
        try harness.feed(next, to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.sequence).sorted() == (0..<10).map { 100 + $0 })
    }
}
