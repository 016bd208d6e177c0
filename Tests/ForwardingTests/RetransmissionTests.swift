import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Retransmission to a subscriber")
struct RetransmissionTests {
    @Test(
        "Packets are retransmitted byte by byte as they were first sent, across a pause that changed every offset",
        arguments: SRTPSuite.allCases)
    func keptRewrite(_ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video, firstSequence: 65_500)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber(suite)
        harness.subscribe(subscriber, to: producer, progress: .init(firstSequence: 32_760))
        for round in 0..<7 {
            if round > 0 {
                _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
                try harness.feed(source.frame(isKey: false, packets: 5), to: producer)
                try harness.flush()
                _ = harness.router.setPaused(false, path: subscriber.path, producer: producer)
            }
            for f in 0..<3 { try harness.feed(source.frame(isKey: f == 0, packets: 4), to: producer) }
            try harness.flush()
        }
        let before = subscriber.received
        #expect(before.count == 7 * 12)
        for start in stride(from: 0, to: before.count, by: 12) {
            let asked = before[start..<(start + 12)].map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked, to: subscriber, of: producer) == 12)
        }
        #expect(subscriber.repeated.map(\.index) == before.map(\.index))
        #expect(try harness.consumer(subscriber, of: producer).pointee.retransmitted == 84)
    }

    @Test("Packets that were never sent, are not yet sent or left the ring are not retransmitted")
    func unknown() throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 500))
        let stranger = try harness.subscriber()
        let some = [499, 500, 501, 0, 65_535, 33_268].map { SequenceNumber($0) }
        #expect(try harness.retransmit(some, to: subscriber, of: producer) == 0)
        #expect(try harness.retransmit(some, to: stranger, of: producer) == 0)
        for _ in 0..<300 { try harness.feed([source.audioPacket()], to: producer) }
        try harness.flush()
        // The ring of an audio track holds 256.
        let asked = [499, 500, 543, 544, 799, 800, 32_000, 40_000].map { SequenceNumber($0) }
        #expect(try harness.retransmit(asked, to: subscriber, of: producer) == 2)
        #expect(subscriber.repeated.map(\.sequence) == [544, 799])
        #expect(try harness.retransmit([SequenceNumber(799)], to: stranger, of: producer) == 0)
    }

    @Test("A ring that grows with the bit rate serves retransmissions and the cached key frame across its growth")
    func growth() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source, followsRate: true)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer, progress: .init(firstSequence: 0))
        // 30 frames a second, and a key frame larger than the ring at first.
        var kept: [Int] = []
        for frame in 0..<60 {
            let bytes = producer.core.pointee.ring.arenaBytes
            if kept.last != bytes { kept.append(bytes) }
            try harness.feed(source.frame(isKey: frame == 0, packets: frame == 0 ? 400 : 10), to: producer)
            try harness.flush()
            harness.now = harness.now + .milliseconds(33)
        }
        #expect(kept.first == 256 << 10 && kept.count >= 3 && kept.last ?? 0 <= 4 << 20)
        let sent = subscriber.received
        #expect(sent.count == 400 + 590)
        for start in stride(from: 0, to: sent.count, by: 60) {
            let asked = sent[start..<min(start + 60, sent.count)].map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked, to: subscriber, of: producer) == asked.count)
        }
        #expect(subscriber.repeated.map(\.index) == sent.map(\.index))
        let second = try harness.subscriber()
        #expect(!harness.subscribe(second, to: producer))
        try harness.catchUpCompletely()
        #expect(second.received.map(\.index) == sent.map(\.index))
    }

    @Test("One request is answered with at most 64 packets")
    func limit() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(
            source, .aeadAES128GCM, progress: .init(firstSequence: 0))
        try harness.feed(source.frame(isKey: true, packets: 300, sizes: [2000]), to: producer)
        try harness.flush()
        #expect(try harness.retransmit((0..<300).map { SequenceNumber($0) }, to: subscriber, of: producer) == 64)
        #expect(subscriber.repeated.map(\.sequence) == Array(0..<64))
        // A packet requested many times is sent once.
        #expect(
            try harness.retransmit(Array(repeating: SequenceNumber(7), count: 50), to: subscriber, of: producer) == 1)
    }

    @Test("A request that names hundreds of unavailable packets is not read to its end", arguments: [255, 256])
    func inVain(_ unknown: Int) throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 500))
        try harness.feed([source.audioPacket()], to: producer)
        try harness.flush()
        let asked = (0..<unknown).map { SequenceNumber(UInt16($0)) } + [SequenceNumber(500)]
        #expect(try harness.retransmit(asked, to: subscriber, of: producer) == (unknown < 256 ? 1 : 0))
    }

    @Test("A packet lost before the relay is sent once when it arrives, under its number")
    func recovered() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 10))
        let frame = source.frame(isKey: true, packets: 6)
        try harness.feed(Array(frame[0...1] + frame[3...5]), to: producer)
        try harness.flush()
        #expect(try harness.retransmit([SequenceNumber(12)], to: subscriber, of: producer) == 0)
        try harness.feed([frame[2]], to: producer)
        try harness.flush()
        #expect(subscriber.received.last?.sequence == 12 && subscriber.received.last?.index == frame[2].index)
        #expect(try harness.retransmit([SequenceNumber(12)], to: subscriber, of: producer) == 1)
    }
}
