import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("A stream that is published again")
struct RepublishingTests {
    @Test(
        "Sequence numbers, PictureIDs and timestamps continue where the subscriber's ended",
        arguments: [MediaKind.audio, .video])
    func continues(_ kind: MediaKind) throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        let ssrc = SSRC(77)
        var progress = Consumer.Progress(firstSequence: 32_760)
        let pauses = [0, 1_000, 2_500, 10_000]
        var ends: [Int] = []
        for (round, pause) in pauses.enumerated() {
            harness.now += .milliseconds(Int64(pause))
            var source = SyntheticSource(
                id: UInt32(round), kind: kind, firstSequence: UInt16(65_000 - 20_000 * round), seed: UInt64(round))
            source.hasNarrowPictureIDs = round == 2
            let producer = harness.producer(source)
            harness.subscribe(subscriber, to: producer, ssrc: ssrc, progress: progress)
            for f in 0..<10 {
                let packets = kind == .audio ? [source.audioPacket()] : source.frame(isKey: f == 0, packets: 3)
                try harness.feed(packets, to: producer)
                try harness.flush()
                if f < 9 { harness.now += .milliseconds(kind == .audio ? 20 : 33) }
            }
            progress = try #require(harness.router.unsubscribe(path: subscriber.path, from: producer))
            harness.router.remove(producer)
            #expect(harness.router.unsubscribe(path: subscriber.path, from: producer) == nil)
            ends.append(subscriber.received.count)
        }
        let received = subscriber.received
        #expect(received.count == (kind == .audio ? 40 : 120))
        #expect(Set(received.map(\.header.ssrc)) == [ssrc])
        #expect(received.map(\.sequence) == received.indices.map { 32_760 + Int64($0) })
        for (earlier, later) in zip(received, received.dropFirst()) where kind == .video {
            let before = try #require(earlier.descriptor)
            let after = try #require(later.descriptor)
            let step: UInt16 = earlier.header.marker ? 1 : 0
            let mask: UInt16 = min(before.pictureIDWidth, after.pictureIDWidth) == 2 ? 0x7fff : 0x7f
            #expect((before.pictureID &+ step) & mask == after.pictureID & mask)
            #expect(after.tl0PicIdx == before.tl0PicIdx &+ UInt8(step))
        }
        for (round, end) in ends.dropLast().enumerated() {
            let ticks = received[end].header.timestamp.distance(from: received[end - 1].header.timestamp)
            #expect(abs(ticks - pauses[round + 1] * kind.clockRate / 1000) <= 1)
        }
        #expect(progress.packets == UInt64(received.count))
        #expect(progress.payloadBytes == received.reduce(0) { $0 + UInt64($1.payload.count) })
    }

    @Test("A subscriber that received nothing yet gets the new publisher's timestamps unchanged")
    func nothingSent() throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        let silent = harness.producer(SyntheticSource(id: 1, kind: .audio))
        harness.subscribe(subscriber, to: silent, progress: .init(firstSequence: 5))
        let progress = try #require(harness.router.unsubscribe(path: subscriber.path, from: silent))
        harness.router.remove(silent)
        var source = SyntheticSource(id: 2, kind: .audio)
        let producer = harness.producer(source)
        harness.subscribe(subscriber, to: producer, progress: progress)
        let packet = source.audioPacket()
        try harness.feed([packet], to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.header.timestamp) == [packet.header.timestamp])
        #expect(subscriber.received.map(\.sequence) == [5])
    }

    @Test("The publisher's clock is mapped to the subscriber's timeline from its first packet on")
    func timeline() throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        var progress = Consumer.Progress(firstSequence: 5)
        for round in 0..<3 {
            var source = SyntheticSource(id: UInt32(round), kind: .audio, seed: UInt64(round))
            let producer = harness.producer(source)
            harness.subscribe(subscriber, to: producer, ssrc: SSRC(7), progress: progress)
            // Before that, reports would contain the publisher's timestamps instead of the subscriber's.
            #expect(try harness.consumer(subscriber, of: producer).pointee.hasTimeline == false)
            let packet = source.audioPacket()
            try harness.feed([packet], to: producer)
            try harness.flush()
            let consumer = try harness.consumer(subscriber, of: producer)
            #expect(consumer.pointee.hasTimeline)
            let offset = consumer.pointee.rewrite.timestampOffset
            #expect(subscriber.received.last?.header.timestamp.rawValue == packet.header.timestamp.rawValue &+ offset)
            progress = try #require(harness.router.unsubscribe(path: subscriber.path, from: producer))
            harness.router.remove(producer)
        }
    }

    @Test("A subscriber removed while it catches up continues after its last received packet")
    func whileCatchingUp() throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<30 { try harness.feed(source.frame(isKey: f == 0), to: producer) }
        try harness.flush()
        harness.subscribe(subscriber, to: producer, ssrc: SSRC(5))
        try harness.catchUp()
        let count = subscriber.received.count
        let progress = try #require(harness.router.unsubscribe(path: subscriber.path, from: producer))
        #expect(!harness.router.isCatchingUp)
        harness.router.remove(producer)
        var again = SyntheticSource(id: 2, kind: .video)
        let second = harness.producer(again)
        try harness.feed(again.frame(isKey: true), to: second)
        try harness.flush()
        #expect(!harness.subscribe(subscriber, to: second, ssrc: SSRC(5), progress: progress))
        try harness.catchUpCompletely()
        #expect(subscriber.received.map(\.sequence) == (0..<Int64(count + 4)).map { 100 + $0 })
        #expect(subscriber.received.suffix(4).allSatisfy { $0.sourceID == 2 })
    }

    @Test(
        "An encoder restarts under another SSRC: subscribers continue, whatever its new numbers",
        arguments: [MediaKind.audio, .video], [1_100, 1_200, 20_000, 40_000, 65_535] as [UInt16])
    func restarted(_ kind: MediaKind, _ firstSequence: UInt16) throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        let paused = try harness.subscriber()
        var source = SyntheticSource(id: 1, kind: kind, firstSequence: 1_000)
        let producer = harness.producer(source)
        for one in [subscriber, paused] { harness.subscribe(one, to: producer, ssrc: SSRC(7)) }
        func run(_ source: inout SyntheticSource) throws {
            for f in 0..<10 {
                let packets = kind == .audio ? [source.audioPacket()] : source.frame(isKey: f == 0, packets: 3)
                try harness.feed(packets, to: producer)
                try harness.flush()
                harness.now += .milliseconds(kind == .audio ? 20 : 33)
            }
        }
        try run(&source)
        _ = harness.router.setPaused(true, path: paused.path, producer: producer)
        var again = SyntheticSource(id: 2, kind: kind, firstSequence: firstSequence, seed: 9)
        producer.restart(ssrc: again.ssrc, first: SequenceNumber(firstSequence &+ 1))
        #expect(producer.configuration.ssrc == again.ssrc && producer.cachedKeyFrame() == nil)
        #expect(try harness.consumer(subscriber, of: producer).pointee.hasTimeline == false)
        // A packet below the first received one is a late packet of the new encoder, not an old one.
        let packets =
            kind == .audio ? [again.audioPacket(), again.audioPacket()] : again.frame(isKey: true, packets: 2)
        try harness.feed([packets[1], packets[0]], to: producer)
        try harness.flush()
        try harness.catchUpCompletely()
        let before = subscriber.received.count
        _ = harness.router.resume(path: paused.path, producer: producer)
        try run(&again)
        try harness.catchUpCompletely()
        #expect(
            before == (kind == .audio ? 11 : 32) && subscriber.received.count == before + (kind == .audio ? 10 : 30))
        #expect(producer.nack.missingCount == 0 && producer.statistics.cumulativeLost <= 0)
        for one in [subscriber, paused] {
            let received = one.received
            #expect(received.map(\.sequence) == received.indices.map { 100 + Int64($0) })
            let stamps = received.map(\.header.timestamp)
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { (0...9_000).contains($1.distance(from: $0)) })
            #expect(received.last?.sourceID == 2)
        }
        // Packets sent before the restart can still be retransmitted.
        let old = subscriber.received.prefix(5).map(\.header.sequenceNumber)
        #expect(try harness.retransmit(old, to: subscriber, of: producer) == 5)
    }

    @Test("A frame that an encoder did not finish before its restart is not taken as complete")
    func restartedWithin() throws {
        let harness = RouterHarness()
        let subscriber = try harness.subscriber()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        harness.subscribe(subscriber, to: producer)
        try harness.feed(Array(source.frame(isKey: true, packets: 3).prefix(2)), to: producer)
        try harness.flush()
        var again = SyntheticSource(id: 2, kind: .video, firstSequence: 500)
        producer.restart(ssrc: again.ssrc, first: SequenceNumber(500))
        try harness.feed(again.frame(isKey: true, packets: 2), to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.sequence) == [100, 101, 103, 104])
    }
}
