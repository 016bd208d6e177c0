import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Fan-out")
struct FanoutTests {
    /// Checks that packets have their own numbers plus a constant offset, in order, without gaps.
    static func expectRun(
        _ viewed: [ViewedPacket], _ sent: [SourcePacket], first: Int64, ssrc: SSRC, payloadType: PayloadType
    ) throws {
        try #require(viewed.map(\.index) == sent.map(\.index))
        for (i, (got, packet)) in zip(viewed, sent).enumerated() {
            #expect(got.sequence == first + packet.index - sent[0].index, "packet \(i)")
            #expect(got.payload == packet.payload)
            #expect(got.header.ssrc == ssrc && got.header.payloadType == payloadType)
            #expect(got.header.marker == packet.header.marker && got.header.timestamp == packet.header.timestamp)
        }
    }

    @Test(
        "Every subscriber gets every packet of an audio and a video track under its own SSRC and payload type",
        arguments: [1, 2, 3, 100, 500], SRTPSuite.allCases)
    func everySubscriber(_ subscribers: Int, _ suite: SRTPSuite) throws {
        // 500 subscribers need many groups of paths.
        let rounds = subscribers >= 100 ? 1 : 4
        let harness = RouterHarness()
        var audio = SyntheticSource(id: 1, kind: .audio)
        var video = SyntheticSource(id: 2, kind: .video, firstSequence: 65_530)
        let audioProducer = harness.producer(audio)
        let videoProducer = harness.producer(video)
        var all: [Subscriber] = []
        for i in 0..<subscribers {
            let subscriber = try harness.subscriber(suite)
            harness.subscribe(
                subscriber, to: audioProducer, ssrc: SSRC(UInt32(10_000 + i)), payloadType: PayloadType(111),
                progress: .init(firstSequence: UInt16(i)))
            harness.subscribe(
                subscriber, to: videoProducer, ssrc: SSRC(UInt32(20_000 + i)),
                payloadType: PayloadType(UInt8(96 + i % 8)),
                progress: .init(firstSequence: UInt16(32_760 + i % 8)))
            all.append(subscriber)
        }
        var sentAudio: [SourcePacket] = []
        var sentVideo: [SourcePacket] = []
        for round in 0..<rounds {
            for _ in 0..<2 {
                let packet = audio.audioPacket(bytes: 60 + 37 * round)
                sentAudio.append(packet)
                try harness.feed([packet], to: audioProducer)
            }
            let frame = video.frame(isKey: round == 0, packets: 11, sizes: [1180, 1180, 1179, 900])
            sentVideo += frame
            try harness.feed(frame, to: videoProducer)
            try harness.flush()
        }
        for (i, subscriber) in all.enumerated() {
            try Self.expectRun(
                subscriber.packets[UInt32(10_000 + i)] ?? [], sentAudio, first: Int64(i),
                ssrc: SSRC(UInt32(10_000 + i)),
                payloadType: PayloadType(111))
            try Self.expectRun(
                subscriber.packets[UInt32(20_000 + i)] ?? [], sentVideo, first: Int64(32_760 + i % 8),
                ssrc: SSRC(UInt32(20_000 + i)), payloadType: PayloadType(UInt8(96 + i % 8)))
            #expect(subscriber.datagramCount == sentAudio.count + sentVideo.count)
        }
        let perFlush = (11 * 1200 + 2 * 300) * subscribers
        if perFlush > EgressBatch.slabBytes { #expect(harness.batches > rounds) }
    }

    @Test("A full queue is forwarded early and takes the next packet", arguments: [40, 2000])
    func fullQueue(_ bytes: Int) throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, .aeadAES128GCM)
        let packets = source.frame(isKey: true, packets: 1000, sizes: [bytes])
        try harness.feed(packets, to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.index) == packets.map(\.index))
        #expect(harness.batches >= 3)
    }

    @Test("Later packets do not overwrite those in the queue", arguments: [30, 500, 1200, 2000])
    func ringSmallerThanQueue(_ bytes: Int) throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 4))
        let packets = (0..<600).map { _ in source.audioPacket(bytes: bytes) }
        try harness.feed(packets, to: producer)
        try harness.flush()
        try FanoutTests.expectRun(
            subscriber.received, packets, first: 4, ssrc: subscriber.received[0].header.ssrc,
            payloadType: PayloadType(111))
    }

    @Test(
        "A jump in sequence numbers that reuses a queued packet's slot of the ring does not change the packet",
        arguments: [256, 512, 25_600])
    func jumpOntoWaiting(_ jump: Int64) throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 4))
        var packets = [source.audioPacket(bytes: 100)]
        source.nextIndex += jump - 1
        packets += [source.audioPacket(bytes: 108), source.audioPacket(bytes: 104)]
        try harness.feed(packets, to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.payload) == packets.map(\.payload))
        #expect(subscriber.received.map(\.sequence) == [4, 4 + jump, 5 + jump])
    }

    @Test("Without offload every packet is a message", arguments: SRTPSuite.allCases)
    func withoutSegmentation(_ suite: SRTPSuite) throws {
        let harness = RouterHarness(maximumSegments: 1, backend: .evp)
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscribers = try (0..<5).map { _ in try harness.subscriber(suite) }
        for subscriber in subscribers { harness.subscribe(subscriber, to: producer) }
        let frame = source.frame(isKey: true, packets: 10)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(harness.messages == 50)
        for subscriber in subscribers { #expect(subscriber.received.map(\.index) == frame.map(\.index)) }
    }

    @Test("Subscribers that come, go and reuse paths between batches get only their own packets")
    func pathsAreUsedAgain() throws {
        let harness = RouterHarness()
        var a = SyntheticSource(id: 1, kind: .audio)
        var b = SyntheticSource(id: 2, kind: .audio)
        let first = harness.producer(a)
        let second = harness.producer(b)
        let early = try (0..<20).map { _ in try harness.subscriber() }
        for (i, subscriber) in early.enumerated() { harness.subscribe(subscriber, to: i % 2 == 0 ? first : second) }
        try harness.feed([a.audioPacket()], to: first)
        try harness.feed([b.audioPacket()], to: second)
        try harness.flush()
        for (i, subscriber) in early.enumerated() where i % 3 == 0 { harness.leave(subscriber) }
        let paths = harness.router.pathCount
        let late = try (0..<7).map { _ in try harness.subscriber(.aeadAES128GCM) }
        #expect(harness.router.pathCount == paths)
        for (i, subscriber) in late.enumerated() { harness.subscribe(subscriber, to: i % 2 == 0 ? second : first) }
        try harness.feed([a.audioPacket()], to: first)
        try harness.feed([b.audioPacket()], to: second)
        try harness.flush()
        for (i, subscriber) in early.enumerated() {
            #expect(subscriber.received.count == (i % 3 == 0 ? 1 : 2))
            #expect(subscriber.received.allSatisfy { $0.sourceID == (i % 2 == 0 ? 1 : 2) })
        }
        for (i, subscriber) in late.enumerated() {
            #expect(subscriber.received.map(\.sourceID) == [i % 2 == 0 ? 2 : 1])
        }
    }

    @Test("A producer that is removed takes its consumers with it, the others continue")
    func producerLeaves() throws {
        let harness = RouterHarness()
        var a = SyntheticSource(id: 1, kind: .audio)
        var b = SyntheticSource(id: 2, kind: .audio)
        let first = harness.producer(a)
        let second = harness.producer(b)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: first)
        harness.subscribe(subscriber, to: second)
        try harness.feed([a.audioPacket()], to: first)
        try harness.feed([b.audioPacket()], to: second)
        try harness.flush()
        harness.router.remove(first)
        #expect(harness.router.producers.count == 1)
        try harness.feed([b.audioPacket()], to: second)
        try harness.flush()
        #expect(subscriber.datagramCount == 3)
    }
}
