import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Packets that the kernel refuses")
struct DropTests {
    private static let rtx = RTXStream(ssrc: SSRC(0x2000), payloadType: PayloadType(97))
    private static let media: UInt32 = 0x1000
    private static let extensions = HeaderExtensionTemplate(
        map: HeaderExtensionTests.map(), kind: .video, mid: MID("1"))

    /// Feeds and flushes one frame, as a worker does.
    private static func send(
        _ source: inout SyntheticSource, isKey: Bool, to producer: Producer, _ harness: RouterHarness
    ) throws -> [SourcePacket] {
        let frame = source.frame(isKey: isKey, packets: 4, sizes: [900, 1_000])
        try harness.feed(frame, to: producer)
        try harness.flush()
        return frame
    }

    @Test(
        "Video that lost a packet is dropped until its next key frame, which is requested",
        arguments: SendDropCause.allCases)
    func untilKeyFrame(_ cause: SendDropCause) throws {
        var source = SyntheticSource(id: 1, kind: .video, firstSequence: 65_530)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 32_760))
        let other = try harness.subscriber()
        harness.subscribe(other, to: producer)
        let first = try Self.send(&source, isKey: true, to: producer, harness)
        producer.keyFrames.keyFrameArrived()
        harness.refuse = { refused, _ in refused === subscriber ? cause : nil }
        let refused = try Self.send(&source, isKey: false, to: producer, harness)
        harness.refuse = nil
        #expect(producer.keyFrames.isWanted)
        #expect(harness.router.waitsForKeyFrame(path: subscriber.path, producer: producer))
        // The kernel would accept these again, but the decoder could not use them.
        let useless = try Self.send(&source, isKey: false, to: producer, harness)
        #expect(subscriber.received.map(\.index) == first.map(\.index))
        let key = try Self.send(&source, isKey: true, to: producer, harness)
        let next = try Self.send(&source, isKey: false, to: producer, harness)
        #expect(subscriber.received.map(\.index) == (first + key + next).map(\.index))
        // The refused numbers stay used; those of later frames were never assigned.
        let sequences = subscriber.received.map(\.sequence)
        #expect(sequences[3] == 32_763 && sequences[4] == 32_763 + 1 + Int64(refused.count))
        #expect(zip(sequences[4...], sequences[5...]).allSatisfy { $1 == $0 + 1 })
        // Another subscriber misses no packets.
        #expect(other.received.map(\.index) == (first + refused + useless + key + next).map(\.index))
        let drops = harness.router.drops(path: subscriber.path)
        #expect(drops[cause] == UInt64(refused.count) && drops.total == drops[cause])
        #expect(harness.router.drops(path: other.path).total == 0)
        let progress = try harness.consumer(subscriber, of: producer).pointee.progress
        #expect(progress.packets == UInt64(subscriber.received.count))
        #expect(progress.payloadBytes == UInt64(subscriber.received.reduce(0) { $0 + $1.payload.count }))
    }

    @Test("A frame of which one message was sent and one refused is never completed")
    func partOfAFrame() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        // Sizes that padding cannot make equal leave in several messages.
        let frame = source.frame(isKey: false, packets: 3, sizes: [200, 600, 1_200])
        try harness.feed(frame, to: producer)
        var seen = 0
        harness.refuse = { subscriber, _ in
            seen += 1
            return seen == 1 ? .bufferFull : nil
        }
        try harness.flush()
        #expect(seen > 1)
        harness.refuse = nil
        let count = subscriber.received.count
        #expect(count > 4)
        _ = try Self.send(&source, isKey: false, to: producer, harness)
        #expect(subscriber.received.count == count)
        let key = try Self.send(&source, isKey: true, to: producer, harness)
        #expect(subscriber.received.suffix(4).map(\.index) == key.map(\.index))
    }

    @Test("Audio continues with the next packet, and its drops do not affect video of the same path")
    func audio() throws {
        let harness = RouterHarness()
        var voice = SyntheticSource(id: 1, kind: .audio)
        var camera = SyntheticSource(id: 2, kind: .video)
        let audio = harness.producer(voice)
        let video = harness.producer(camera)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: audio, ssrc: SSRC(0x10))
        harness.subscribe(subscriber, to: video, ssrc: SSRC(0x20))
        _ = try Self.send(&camera, isKey: true, to: video, harness)
        for i in 0..<10 {
            harness.refuse = { _, _ in i == 4 ? .bufferFull : nil }
            try harness.feed([voice.audioPacket()], to: audio)
            try harness.flush()
        }
        _ = try Self.send(&camera, isKey: false, to: video, harness)
        let heard = try #require(subscriber.packets[0x10])
        #expect(heard.count == 9 && heard.last?.sequence == heard[0].sequence + 9)
        #expect(subscriber.packets[0x20]?.count == 8)
        #expect(harness.router.drops(path: subscriber.path)[.bufferFull] == 1)
    }

    @Test("Packets before the key frame are not retransmitted on request", arguments: [true, false])
    func retransmission(_ hasRTX: Bool) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber()
        subscriber.streams.rtx[Self.rtx.ssrc.rawValue] = Self.media
        harness.subscribe(subscriber, to: producer, ssrc: SSRC(Self.media), rtx: hasRTX ? Self.rtx : nil)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        harness.refuse = { _, _ in .bufferFull }
        _ = try Self.send(&source, isKey: false, to: producer, harness)
        harness.refuse = nil
        let missing = (104..<108).map { SequenceNumber($0) }
        #expect(try harness.retransmit(missing, to: subscriber, of: producer) == 0)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        #expect(try harness.retransmit(missing, to: subscriber, of: producer) == 0)
        let key = subscriber.received.suffix(4).map(\.header.sequenceNumber)
        #expect(try harness.retransmit(key, to: subscriber, of: producer) == 4)
    }

    @Test("A refused retransmission is counted and interrupts no video")
    func refusedRetransmission() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        harness.refuse = { _, _ in .bufferFull }
        #expect(try harness.retransmit([SequenceNumber(101)], to: subscriber, of: producer) == 1)
        harness.refuse = nil
        _ = try Self.send(&source, isKey: false, to: producer, harness)
        #expect(subscriber.received.count == 8)
        #expect(harness.router.drops(path: subscriber.path)[.bufferFull] == 1)
    }

    @Test("A subscriber that is catching up also waits for a key frame")
    func catchingUp() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<30 { try harness.feed(source.frame(isKey: f == 0, packets: 3), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        try harness.catchUp()
        harness.refuse = { _, _ in .bufferFull }
        try harness.catchUp()
        harness.refuse = nil
        #expect(!harness.router.isCatchingUp)
        let before = subscriber.received.count
        _ = try Self.send(&source, isKey: false, to: producer, harness)
        #expect(subscriber.received.count == before)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        #expect(subscriber.received.count == before + 4)
    }

    @Test("Packets that were not sent are withdrawn from the packets that feedback refers to")
    func withdrawn() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber(lane: .webRTC)
        harness.subscribe(subscriber, to: producer, ssrc: SSRC(Self.media), rtx: Self.rtx, extensions: Self.extensions)
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        let bytes = subscriber.sent.pointee.bytes
        harness.refuse = { _, _ in .bufferFull }
        _ = try Self.send(&source, isKey: false, to: producer, harness)
        harness.refuse = nil
        #expect(subscriber.sent.pointee.next == 8 && subscriber.sent.pointee.bytes == bytes)
        for number in 0..<4 { #expect((subscriber.sent.pointee.find(Int64(number))?.bytes ?? 0) > 0) }
        for number in 4..<8 { #expect((subscriber.sent.pointee.find(Int64(number))?.bytes ?? 0) == 0) }
        let drops = harness.router.takeDrops()
        #expect(drops.count == 1 && drops[0].path == subscriber.path && drops[0].packets == 4 && drops[0].bytes > 3_600)
        #expect(harness.router.takeDrops().isEmpty)
    }

    @Test("A path that accepts nothing requests key frames less and less often")
    func hostilePath() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        harness.refuse = { _, _ in .forbidden }
        var requests = 0
        // A key frame follows each request, as from a publisher that answers at once.
        var isKey = true
        for _ in 0..<1_200 {
            _ = try Self.send(&source, isKey: isKey, to: producer, harness)
            isKey = producer.keyFrames.take(now: harness.now)
            if isKey { requests += 1 }
            harness.now += .milliseconds(50)
            for held in harness.router.takeHeldKeyFrameRequests(now: harness.now) { held.keyFrames.request() }
        }
        // In 60 s: after 0.5, 1, 2, 4 and 8 s, then every 8 s.
        #expect((8...13).contains(requests), "\(requests)")
        harness.refuse = nil
        for _ in 0..<200 where subscriber.received.isEmpty {
            _ = try Self.send(&source, isKey: isKey, to: producer, harness)
            isKey = producer.keyFrames.take(now: harness.now)
            harness.now += .milliseconds(50)
            for held in harness.router.takeHeldKeyFrameRequests(now: harness.now) { held.keyFrames.request() }
        }
        #expect(!subscriber.received.isEmpty, "it starts again once the path takes packets")
    }

    @Test("A closed path leaves no counts to the path that reuses its index")
    func closedPath() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        harness.refuse = { _, _ in .bufferFull }
        _ = try Self.send(&source, isKey: true, to: producer, harness)
        harness.refuse = nil
        harness.leave(subscriber)
        #expect(harness.router.takeDrops().isEmpty)
        let next = try harness.subscriber()
        #expect(next.path == subscriber.path && harness.router.drops(path: next.path).total == 0)
    }
}
