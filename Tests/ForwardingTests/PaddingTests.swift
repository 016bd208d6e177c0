import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Padding on a publisher's media stream")
struct PaddingTests {
    private static let media = SSRC(0x100)

    @Test(
        "Padding leaves subscribers no gap, whatever layers they get, and is retransmitted unchanged",
        arguments: 0...3 as ClosedRange<UInt8>)
    func probing(_ limit: UInt8) throws {
        let harness = RouterHarness()
        var source = LayeredSource(SyntheticSource(id: 1, kind: .video, firstSequence: 65_500), seed: 3)
        let producer = harness.producer(source.source)
        let subscriber = try harness.subscriber(.aeadAES128GCM)
        harness.subscribe(subscriber, to: producer, ssrc: Self.media, layerLimit: limit)
        var padding = 0
        for p in 0..<100 {
            try harness.feed(source.frame(isKey: p % 40 == 0), to: producer)
            if p % 3 == 0 {
                for _ in 0...(p % 5) {
                    try harness.feed([source.source.padding()], to: producer)
                    padding += 1
                }
            }
            if p % 7 != 0 { try harness.flush() }
            harness.now += .milliseconds(33)
        }
        try harness.flush()
        let wanted = source.frames.filter { $0.layer <= limit }
        #expect(subscriber.received.map(\.index) == wanted.flatMap { $0.packets.map(\.index) })
        let fillers = subscriber.streams.fillers[Self.media.rawValue] ?? []
        #expect(fillers.count == padding)
        let numbers = (subscriber.received.map(\.sequence) + fillers).sorted()
        #expect(numbers == numbers.indices.map { Int64($0) + 100 })
        try TemporalLayerTests.expectContinuous(ViewedFrames(subscriber.received, of: [1: source]))
        #expect(producer.nack.missingCount == 0 && !producer.nack.needsKeyFrame)

        // Each repeated datagram is equal to the first one byte by byte, or the test kit throws.
        let before = subscriber.datagramCount
        let asked = fillers.suffix(20).map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
        #expect(try harness.retransmit(asked, to: subscriber, of: producer) == asked.count)
        #expect(subscriber.datagramCount == before + asked.count)
    }

    @Test("A subscriber that joins after padding starts with the cached frames, and gets the padding by RTX if it asks")
    func joining() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<4 {
            try harness.feed(source.frame(isKey: f == 0), to: producer)
            try harness.feed([source.padding(), source.padding()], to: producer)
        }
        try harness.flush()
        #expect(producer.cachedKeyFrame() != nil)
        let subscriber = try harness.subscriber()
        let rtx = RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97))
        subscriber.streams.rtx[rtx.ssrc.rawValue] = Self.media.rawValue
        #expect(!harness.subscribe(subscriber, to: producer, ssrc: Self.media, rtx: rtx))
        try harness.catchUpCompletely()
        #expect(subscriber.received.count == 16)
        let fillers = subscriber.streams.fillers[Self.media.rawValue] ?? []
        #expect(fillers == [4, 5, 10, 11, 16, 17, 22, 23].map { $0 + 100 })
        #expect(try harness.retransmit([SequenceNumber(110), SequenceNumber(112)], to: subscriber, of: producer) == 2)
        #expect(subscriber.streams.fillers[Self.media.rawValue]?.last == 110)
        #expect(subscriber.streams.retransmitted[Self.media.rawValue]?.map(\.sequence) == [112])
    }

    @Test("Padding is no part of a frame: no frame counts as cut off behind it, and late padding is still padding")
    func betweenFrames() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer, ssrc: Self.media)
        try harness.feed(source.frame(isKey: true), to: producer)
        let late = source.padding()
        try harness.feed(source.frame(isKey: false), to: producer)
        try harness.flush()
        #expect(producer.nack.missingCount == 1)
        try harness.feed([late, source.padding()], to: producer)
        try harness.flush()
        #expect(producer.nack.missingCount == 0)
        #expect(subscriber.received.map(\.sequence) == [100, 101, 102, 103, 105, 106, 107, 108])
        #expect(subscriber.streams.fillers[Self.media.rawValue] == [104, 109])
        #expect(try harness.feed(late, to: producer) == .duplicate)
        #expect(harness.router.abandon(path: subscriber.path, producer: producer) == 109)
    }
}
