import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Numbers of a consumer's packets")
struct NumberingTests {
    @Test(
        "Sequence numbers continue over every wrap and into the next rollover, including the source's gaps",
        arguments: [UInt16(0), 1, 32_767], [UInt16(0), 32_767, 32_768, 65_535])
    func wraps(_ first: UInt16, _ sourceFirst: UInt16) throws {
        var source = SyntheticSource(id: 1, kind: .audio, firstSequence: sourceFirst)
        let (harness, producer, subscriber) = try RouterHarness.watching(
            source, .aeadAES128GCM, progress: .init(firstSequence: first))
        var sent: [Int64] = []
        while source.nextIndex < 220_000 {
            let packet = source.audioPacket(bytes: 30)
            sent.append(packet.index)
            try harness.feed([packet], to: producer)
            // Packet by packet across the wraps, otherwise in large steps.
            let offset = (source.nextIndex - Int64(sourceFirst) + Int64(first)) & 0x7fff
            if offset > 20, offset < 0x7fff - 400 { source.nextIndex += 300 }
            try harness.flush()
        }
        let received = subscriber.received
        #expect(received.map(\.index) == sent)
        #expect(received.allSatisfy { $0.sequence - Int64(first) == $0.index - Int64(sourceFirst) })
        #expect(received.count > 1500)
    }

    @Test(
        "A first sequence number in the upper half is moved to the lower half",
        arguments: [UInt16(0x8000), 0xffff, 0x8123])
    func firstSequence(_ first: UInt16) throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: first))
        try harness.feed([source.audioPacket()], to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.header.sequenceNumber.rawValue) == [first & 0x7fff])
    }

    @Test("Missing packets leave a gap of the same size, late ones fill theirs, duplicates are dropped")
    func gaps() throws {
        var source = SyntheticSource(id: 1, kind: .audio, firstSequence: 65_530)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, progress: .init(firstSequence: 500))
        let packets = (0..<20).map { _ in source.audioPacket() }
        // 3 is missing, 7 is late by one batch, 9 and 10 are swapped, 12 arrives twice at once, 13 again later.
        for i in [0, 1, 2, 4, 5, 6, 8] { try harness.feed([packets[i]], to: producer) }
        try harness.flush()
        for i in [10, 9, 7, 11, 12] { try harness.feed([packets[i]], to: producer) }
        #expect(try harness.feed(packets[12], to: producer) == .duplicate)
        try harness.flush()
        try harness.feed([packets[13]], to: producer)
        try harness.flush()
        #expect(try harness.feed(packets[13], to: producer) == .duplicate)
        #expect(try harness.feed(packets[0], to: producer) == .duplicate)
        for i in 14..<20 { try harness.feed([packets[i]], to: producer) }
        try harness.flush()
        #expect(
            subscriber.received.map { $0.sequence - 500 } == [
                0, 1, 2, 4, 5, 6, 8, 10, 9, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            ])
        #expect(subscriber.received.allSatisfy { $0.index - 65_530 == $0.sequence - 500 })
        #expect(subscriber.repeated.isEmpty)
    }

    @Test("Packets from before a consumer's first one are not sent to it")
    func lateForTheFirst() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .audio)
        let producer = harness.producer(source)
        let early = try harness.subscriber()
        harness.subscribe(early, to: producer)
        let packets = (0..<6).map { _ in source.audioPacket() }
        try harness.feed([packets[0]], to: producer)
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        try harness.feed([packets[3], packets[1], packets[2], packets[4]], to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.index) == [packets[3], packets[4]].map(\.index))
        #expect(early.received.count == 5)
    }

    @Test("A packet numbered below the publisher's first one is forwarded once", arguments: [UInt16(0), 1, 2])
    func belowTheFirst(_ first: UInt16) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .audio, firstSequence: first)
        let producer = harness.producer(source)
        let packets = (0..<4).map { _ in source.audioPacket() }
        // The first three in the wrong order, before there is a subscriber.
        #expect(try harness.feed(packets[3], to: producer) == .forward)
        var before = packets[0]
        before.header.sequenceNumber = SequenceNumber(first &- 1)
        #expect(try harness.feed(before, to: producer) == .forward)
        #expect(try harness.feed(before, to: producer) == .duplicate)
    }

    @Test("Packets older than the ring are refused as too old")
    func tooOld() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .audio)
        let producer = harness.producer(source)
        let packets = (0..<400).map { _ in source.audioPacket() }
        for packet in packets where packet.index != packets[5].index && packet.index != packets[200].index {
            #expect(try harness.feed(packet, to: producer) == .forward)
        }
        #expect(try harness.feed(packets[5], to: producer) == .tooOld)
        #expect(try harness.feed(packets[200], to: producer) == .forward)
        #expect(try harness.feed(packets[200], to: producer) == .duplicate)
    }

    @Test("A packet is not sent a second time under its number, even after its bytes left the ring")
    func givenWay() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, retransmissionBytes: 128 << 10)
        let first = source.frame(isKey: true, packets: 1)[0]
        try harness.feed([first], to: producer)
        for _ in 0..<60 { try harness.feed(source.frame(isKey: false), to: producer) }
        try harness.flush()
        var other = first
        other.payload[first.payload.count - 1] ^= 1
        #expect(try harness.feed(other, to: producer) == .tooOld)
        try harness.flush()
        #expect(subscriber.datagramCount == 241)
    }

    @Test("Another payload type and unparsable video are refused")
    func refused() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        var other = source.frame(isKey: true, packets: 1)[0]
        other.header.payloadType = PayloadType(100)
        #expect(try harness.feed(other, to: producer) == .wrongPayloadType)
        for payload: [UInt8] in [[0x90], [0x90, 0x80], [0x90, 0x80, 0x80, 1], [0x10]] {
            var broken = source.frame(isKey: true, packets: 1)[0]
            broken.payload = payload
            #expect(try harness.feed(broken, to: producer) == .malformed)
        }
        try harness.flush()
        #expect(subscriber.datagramCount == 0)
    }
}
