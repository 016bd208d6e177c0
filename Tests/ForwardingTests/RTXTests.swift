import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Retransmission and padding on an RTX stream")
struct RTXTests {
    private static let media: UInt32 = 0x1000
    private static let rtx = RTXStream(ssrc: SSRC(0x2000), payloadType: PayloadType(97))

    private func harness(
        _ suite: SRTPSuite = .aeadAES128GCM, seed: UInt64 = 1
    ) throws -> (RouterHarness, SyntheticSource, Producer, Subscriber) {
        let harness = RouterHarness()
        let source = SyntheticSource(id: 1, kind: .video, firstSequence: 65_500, seed: seed)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber(suite, lane: .webRTC)
        subscriber.streams.rtx[Self.rtx.ssrc.rawValue] = Self.media
        return (harness, source, producer, subscriber)
    }

    private static let extensions = HeaderExtensionTemplate(
        map: HeaderExtensionTests.map(), kind: .video, mid: MID("1"))

    @Test(
        "Requested packets are sent on the RTX stream with their first number, across pauses and wraps of both numberings",
        arguments: SRTPSuite.allCases)
    func retransmission(_ suite: SRTPSuite) throws {
        var (harness, source, producer, subscriber) = try harness(suite)
        harness.subscribe(
            subscriber, to: producer, ssrc: SSRC(Self.media),
            progress: .init(firstSequence: 32_760, firstRTXSequence: 32_767), rtx: Self.rtx,
            extensions: Self.extensions)
        for round in 0..<5 {
            if round > 0 {
                _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
                try harness.feed(source.frame(isKey: false, packets: 5), to: producer)
                try harness.flush()
                _ = harness.router.setPaused(false, path: subscriber.path, producer: producer)
            }
            for f in 0..<3 {
                try harness.feed(source.frame(isKey: f == 0, packets: 4, sizes: [500, 510]), to: producer)
            }
            try harness.flush()
        }
        let before = try #require(subscriber.packets[Self.media])
        #expect(before.count == 60)
        for start in stride(from: 0, to: 60, by: 20) {
            let asked = before[start..<(start + 20)].map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked + asked, to: subscriber, of: producer) == 20)
        }
        // The test subscriber compares payload, marker and timestamp with the first transmission.
        let again = try #require(subscriber.streams.retransmitted[Self.media])
        #expect(again.map(\.sequence) == before.map(\.sequence))
        #expect(again.map(\.index) == before.map(\.index))
        let heads = try again.map { packet in try packet.head.withUnsafeBytes { try RTPHeader(parsingProtected: $0) } }
        #expect(heads.map(\.sequenceNumber) == (0..<60).map { SequenceNumber(UInt16(32_767 + $0)) })
        #expect(heads.allSatisfy { $0.ssrc == Self.rtx.ssrc && $0.payloadType == Self.rtx.payloadType })
        #expect(subscriber.repeated.isEmpty)
        #expect(subscriber.sent.pointee.next == 120)
    }

    @Test("A stream that is published again continues the RTX numbering: no index is used twice")
    func republished() throws {
        var (harness, source, producer, subscriber) = try harness()
        var progress = Consumer.Progress(firstSequence: 5, firstRTXSequence: 7)
        for round in 0..<3 {
            harness.subscribe(
                subscriber, to: producer, ssrc: SSRC(Self.media), progress: progress, rtx: Self.rtx,
                extensions: Self.extensions)
            try harness.feed(source.frame(isKey: true, packets: 4), to: producer)
            try harness.flush()
            let asked = try #require(subscriber.packets[Self.media]).suffix(4).map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked, to: subscriber, of: producer) == 4)
            progress = try #require(harness.router.unsubscribe(path: subscriber.path, from: producer))
            harness.router.remove(producer)
            source = SyntheticSource(id: UInt32(round + 2), kind: .video, seed: 9)
            producer = harness.producer(source)
        }
        let numbers = try #require(subscriber.streams.retransmitted[Self.media]).map {
            UInt16($0.head[2]) << 8 | UInt16($0.head[3])
        }
        #expect(numbers == Array(7..<19))
    }

    @Test("A probe sends packets that were already sent, newest first, then padding; each is recorded under its number")
    func probe() throws {
        var (harness, source, producer, subscriber) = try harness()
        harness.subscribe(
            subscriber, to: producer, ssrc: SSRC(Self.media), progress: .init(firstSequence: 0), rtx: Self.rtx,
            extensions: Self.extensions)
        try harness.feed(source.frame(isKey: true, packets: 10, sizes: [1000]), to: producer)
        try harness.flush()
        let some = try harness.sendPadding(3000, to: subscriber, probe: 4)
        #expect(some >= 3000 && some < 4200)
        let again = try #require(subscriber.streams.retransmitted[Self.media])
        #expect(again.map(\.sequence) == [9, 8, 7])
        #expect(subscriber.streams.padding.isEmpty)
        for i in Int64(10)..<13 { #expect(subscriber.sent.pointee.find(i)?.probe == 4) }

        let before = subscriber.datagramCount
        let all = try harness.sendPadding(20_000, to: subscriber, probe: 5)
        #expect(all >= 20_000 && all < 20_400)
        #expect(try #require(subscriber.streams.retransmitted[Self.media]).count == 13)
        #expect(subscriber.datagramCount - before == 10 + subscriber.streams.padding.count)
        for (header, head, length) in subscriber.streams.padding {
            #expect(
                header.paddingLength == 255 && header.payloadLength == 0 && header.payloadType == Self.rtx.payloadType)
            #expect(length == head.count + 255 + 16)
            #expect(header.timestamp == again[0].header.timestamp)
        }
        let noted = (13..<subscriber.sent.pointee.next).compactMap { subscriber.sent.pointee.find($0) }
        #expect(noted.count == subscriber.datagramCount - before && noted.allSatisfy { $0.probe == 5 })
        #expect(noted.reduce(0) { $0 + Int($1.bytes) } == all)
        // Media continues in its own numbering.
        try harness.feed(source.frame(isKey: false, packets: 1), to: producer)
        try harness.flush()
        #expect(subscriber.packets[Self.media]?.last?.sequence == 10)

        let padding = subscriber.streams.padding.count
        #expect(try harness.sendPadding(3_000, to: subscriber, probe: 6, repeats: false) >= 3_000)
        #expect(try #require(subscriber.streams.retransmitted[Self.media]).count == 13, "padding alone")
        #expect(subscriber.streams.padding.count >= padding + 8)
    }

    @Test("A path that has sent no media gets padding, one without an RTX stream nothing")
    func nothingToRepeat() throws {
        let (harness, _, producer, subscriber) = try harness()
        #expect(try harness.sendPadding(1000, to: subscriber, probe: 1) == 0)
        harness.subscribe(subscriber, to: producer, ssrc: SSRC(Self.media), rtx: Self.rtx, extensions: Self.extensions)
        #expect(try harness.sendPadding(1000, to: subscriber, probe: 1) >= 1000)
        #expect(subscriber.streams.padding.count == subscriber.datagramCount)
        let other = try harness.subscriber()
        harness.subscribe(other, to: producer)
        #expect(try harness.sendPadding(1000, to: other, probe: 1) == 0)
        #expect(other.datagramCount == 0)
        // Whatever amount is requested, one call stays bounded.
        #expect(try harness.sendPadding(10_000_000, to: subscriber, probe: 2) < EgressBatch.slabBytes)
    }
}
