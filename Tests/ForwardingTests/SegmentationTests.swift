import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Runs of segments")
struct SegmentationTests {
    @Test(
        "Sizes that differ by up to 16 bytes are padded to one run; the payload without the padding is unchanged",
        arguments: [1, 2, 7, 15, 16], SRTPSuite.allCases)
    func padding(_ difference: Int, _ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let viewers = try (0..<3).map { _ in try harness.viewer(suite) }
        for viewer in viewers { harness.subscribe(viewer, to: producer) }
        let frame = source.frame(isKey: true, packets: 9, sizes: [1000, 1000 + difference, 1000 + difference / 2])
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(harness.messages == 3)
        for viewer in viewers {
            #expect(viewer.received.map(\.payload) == frame.map(\.payload))
            for (got, packet) in zip(viewer.received, frame) {
                #expect(got.header.paddingLength == 1000 + difference - packet.payload.count)
                #expect(got.datagramLength == 12 + 1000 + difference + suite.tagLength)
            }
        }
    }

    @Test("Sizes that differ by 17 are not padded: a longer packet begins a new message")
    func tooFarApart() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, viewer) = try RouterHarness.watching(source)
        let frame = source.frame(isKey: true, packets: 4, sizes: [1000, 1017])
        try harness.feed(frame, to: producer)
        try harness.flush()
        // 1000 | 1017 1000 | 1017: a shorter one ends a run.
        #expect(harness.messages == 3)
        #expect(viewer.received.allSatisfy { $0.header.paddingLength == 0 })
        #expect(viewer.received.map(\.payload) == frame.map(\.payload))
    }

    @Test(
        "A run holds at most 64 segments and 65,000 bytes", arguments: [(200, 130, 3), (1200, 130, 3), (2000, 100, 4)])
    func limits(_ bytes: Int, _ packets: Int, _ messages: Int) throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, viewer) = try RouterHarness.watching(source)
        let frame = source.frame(isKey: true, packets: packets, sizes: [bytes])
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(harness.messages == messages)
        #expect(viewer.received.map(\.payload) == frame.map(\.payload))
    }

    @Test("Any mixture of sizes and tracks makes valid messages and complete packets", arguments: UInt64(1)...6)
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = RouterHarness(maximumSegments: 1 + random.below(64))
        var sources = (0..<4).map { SyntheticSource(id: UInt32($0), kind: $0 < 2 ? .audio : .video, seed: seed) }
        let producers = sources.map { harness.producer($0) }
        let viewers = try (0..<9).map { try harness.viewer(SRTPSuite.allCases[$0 % 3]) }
        for (v, viewer) in viewers.enumerated() {
            for (p, producer) in producers.enumerated() where v % 4 != p { harness.subscribe(viewer, to: producer) }
        }
        var sent: [[SourcePacket]] = Array(repeating: [], count: 4)
        for round in 0..<60 {
            for _ in 0...random.below(6) {
                let s = random.below(4)
                let base = 30 + random.below(random.below(3) == 0 ? 1900 : 200)
                let packets =
                    s < 2
                    ? [sources[s].sound(bytes: base)]
                    : sources[s].frame(
                        isKey: sent[s].isEmpty || random.below(5) == 0, packets: 1 + random.below(30),
                        sizes: (0..<5).map { _ in base + random.below(24) })
                sent[s] += packets
                try harness.feed(packets, to: producers[s])
            }
            if round % 3 != 0 || random.below(2) == 0 { try harness.flush() }
        }
        try harness.flush()
        for (v, viewer) in viewers.enumerated() {
            for s in 0..<4 {
                let got = viewer.packets.values.first { $0[0].sourceID == UInt32(s) } ?? []
                #expect(got.map(\.payload) == (v % 4 == s ? [] : sent[s].map(\.payload)))
                #expect(got.allSatisfy { $0.header.paddingLength <= 16 })
            }
        }
    }

    @Test("A retransmission carries the padding of the first transmission")
    func retransmittedPadding() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, viewer) = try RouterHarness.watching(source)
        try harness.feed(source.frame(isKey: true, packets: 3, sizes: [500, 510]), to: producer)
        try harness.flush()
        let first = try #require(viewer.received.first)
        #expect(first.header.paddingLength == 10)
        // The test subscriber compares the datagrams byte by byte.
        #expect(try harness.retransmit([first.header.sequenceNumber], to: viewer, of: producer) == 1)
        #expect(viewer.repeated.map(\.sequence) == [first.sequence])
    }
}
