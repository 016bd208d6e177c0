import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

/// Payloads are those of `SyntheticSource` as primary blocks; the redundant block of each repeats the packet before it.
@Suite("Redundant audio (RFC 2198) to subscribers")
struct RedundantAudioTests {
    private static let red = PayloadType(63)

    /// A publisher that sends redundant audio.
    private struct Publisher {
        var source: SyntheticSource
        private var before: [UInt8]?

        init(id: UInt32, firstSequence: UInt16 = 1_000) {
            source = SyntheticSource(id: id, kind: .audio, firstSequence: firstSequence)
        }

        /// Returns the next packet, and its primary block.
        mutating func next(bytes: Int = 80, isRED: Bool = true) -> (packet: SourcePacket, primary: [UInt8]) {
            var packet = source.audioPacket(bytes: bytes)
            let primary = packet.payload
            defer { before = primary }
            guard isRED else { return (packet, primary) }
            if let before {
                packet.payload = [0xef, 0x0f, UInt8(before.count >> 8), UInt8(before.count & 0xff), 111] + before
            } else {
                packet.payload = [111]
            }
            packet.payload += primary
            packet.header.payloadType = RedundantAudioTests.red
            packet.header.payloadLength = packet.payload.count
            return (packet, primary)
        }
    }

    private static func producer(_ publisher: Publisher, in harness: RouterHarness) -> Producer {
        var configuration = Producer.Configuration(
            kind: .audio, ssrc: publisher.source.ssrc, payloadType: publisher.source.payloadType)
        configuration.redPayloadType = red
        let producer = Producer(configuration, now: harness.now)
        harness.router.add(producer)
        return producer
    }

    /// Packets of several publishers are padded and sent together.
    @Test(
        "Subscribers that negotiated it get packets unchanged, others the primary blocks, also when they are sent again",
        arguments: SRTPSuite.allCases)
    func both(_ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var publishers = (0..<3).map { Publisher(id: UInt32($0), firstSequence: 65_530) }
        let producers = publishers.map { Self.producer($0, in: harness) }
        let plain = try harness.subscriber(suite, lane: .webRTC)
        let redundant = try harness.subscriber(suite, lane: .webRTC)
        // These payloads do not begin with their identity.
        redundant.streams.isOpaque = true
        for (index, producer) in producers.enumerated() {
            for subscriber in [plain, redundant] {
                harness.subscribe(
                    subscriber, to: producer, ssrc: SSRC(10 + UInt32(index)),
                    redPayloadType: subscriber === redundant ? PayloadType(77) : nil,
                    extensions: .init(map: HeaderExtensionTests.map(), kind: .audio))
            }
        }
        var sent: [[(packet: SourcePacket, primary: [UInt8])]] = [[], [], []]
        for round in 0..<12 {
            for index in publishers.indices {
                // A publisher may send both formats in one stream.
                let one = publishers[index].next(bytes: 60 + 3 * index + round, isRED: (round + index) % 4 != 3)
                #expect(try harness.feed(one.packet, to: producers[index]) == .forward)
                sent[index].append(one)
            }
            try harness.flush()
            harness.now += .milliseconds(20)
        }
        for index in publishers.indices {
            let ssrc = 10 + UInt32(index)
            let primaries = try #require(plain.packets[ssrc])
            #expect(primaries.map(\.payload) == sent[index].map(\.primary))
            #expect(primaries.allSatisfy { $0.header.payloadType == PayloadType(111) })
            let whole = try #require(redundant.packets[ssrc])
            #expect(whole.map(\.payload) == sent[index].map(\.packet.payload))
            let types = sent[index].map { $0.packet.header.payloadType == Self.red ? UInt8(77) : 111 }
            #expect(whole.map(\.header.payloadType.rawValue) == types)
            for (subscriber, packets) in [(plain, primaries), (redundant, whole)] {
                let numbers = packets.map(\.header.sequenceNumber)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.distance(from: $0) == 1 })
                #expect(try harness.retransmit(numbers, to: subscriber, of: producers[index]) == 12)
                let progress = try harness.consumer(subscriber, of: producers[index]).pointee.progress
                #expect(progress.payloadBytes >= UInt64(packets.reduce(0) { $0 + $1.payload.count }))
                // Padding is at most 32 bytes a packet.
                #expect(progress.payloadBytes <= UInt64(packets.reduce(0) { $0 + $1.payload.count + 32 }))
            }
        }
        #expect(plain.repeated.count == 36 && redundant.repeated.count == 36)
    }

    @Test("A stream of retransmissions has the primary blocks")
    func retransmissions() throws {
        let harness = RouterHarness()
        var publisher = Publisher(id: 1)
        let producer = Self.producer(publisher, in: harness)
        let subscriber = try harness.subscriber(.aeadAES128GCM)
        subscriber.streams.rtx[0x2000] = 0x1000
        harness.subscribe(
            subscriber, to: producer, ssrc: SSRC(0x1000),
            rtx: RTXStream(ssrc: SSRC(0x2000), payloadType: PayloadType(97)))
        for _ in 0..<5 { try harness.feed(publisher.next().packet, to: producer) }
        try harness.flush()
        let asked = try #require(subscriber.packets[0x1000]).map(\.header.sequenceNumber)
        #expect(try harness.retransmit(asked, to: subscriber, of: producer) == 5)
        // The test subscriber compares the payloads with those of the first transmission.
        #expect(subscriber.streams.retransmitted[0x1000]?.count == 5)
    }

    @Test("Malformed packets, blocks of another codec and a payload type that was not negotiated are not forwarded")
    func malformed() throws {
        let harness = RouterHarness()
        var publisher = Publisher(id: 1)
        let producer = Self.producer(publisher, in: harness)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        for payload in [[], [0xef], [0xef, 0x0f, 0, 4, 111, 1, 2, 3], [111]] as [[UInt8]] {
            var packet = publisher.next().packet
            packet.payload = payload
            #expect(try harness.feed(packet, to: producer) == .malformed, "\(payload)")
        }
        for payload in [[112, 1, 2], [0xef, 0x0f, 0, 1, 63, 1, 2]] as [[UInt8]] {
            var packet = publisher.next().packet
            packet.payload = payload
            #expect(try harness.feed(packet, to: producer) == .wrongPayloadType, "\(payload)")
        }
        #expect(producer.packets == 0)
        #expect(try harness.feed(publisher.next().packet, to: producer) == .forward)
        let other = harness.producer(SyntheticSource(id: 2, kind: .audio))
        #expect(try harness.feed(publisher.next().packet, to: other) == .wrongPayloadType)
        try harness.flush()
        #expect(subscriber.received.count == 1)
    }
}
