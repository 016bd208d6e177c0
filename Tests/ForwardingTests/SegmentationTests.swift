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
        let subscribers = try (0..<3).map { _ in try harness.subscriber(suite) }
        for subscriber in subscribers { harness.subscribe(subscriber, to: producer) }
        let frame = source.frame(isKey: true, packets: 9, sizes: [1000, 1000 + difference, 1000 + difference / 2])
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(harness.messages == 3)
        for subscriber in subscribers {
            #expect(subscriber.received.map(\.payload) == frame.map(\.payload))
            for (got, packet) in zip(subscriber.received, frame) {
                #expect(got.header.paddingLength == 1000 + difference - packet.payload.count)
                #expect(got.datagramLength == 12 + 1000 + difference + suite.tagLength)
            }
        }
    }

    @Test("Sizes that differ by 17 are not padded: a longer packet begins a new message")
    func tooFarApart() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        let frame = source.frame(isKey: true, packets: 4, sizes: [1000, 1017])
        try harness.feed(frame, to: producer)
        try harness.flush()
        // 1000 | 1017 1000 | 1017: a shorter one ends a run.
        #expect(harness.messages == 3)
        #expect(subscriber.received.allSatisfy { $0.header.paddingLength == 0 })
        #expect(subscriber.received.map(\.payload) == frame.map(\.payload))
    }

    @Test(
        "A run holds at most 64 segments and 65,000 bytes", arguments: [(200, 130, 3), (1200, 130, 3), (2000, 100, 4)])
    func limits(_ bytes: Int, _ packets: Int, _ messages: Int) throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        let frame = source.frame(isKey: true, packets: packets, sizes: [bytes])
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(harness.messages == messages)
        #expect(subscriber.received.map(\.payload) == frame.map(\.payload))
    }

    @Test("Any mixture of sizes and tracks makes valid messages and complete packets", arguments: UInt64(1)...6)
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = RouterHarness(maximumSegments: 1 + random.below(64))
        var sources = (0..<4).map { SyntheticSource(id: UInt32($0), kind: $0 < 2 ? .audio : .video, seed: seed) }
        let producers = sources.map { harness.producer($0) }
        let subscribers = try (0..<9).map { try harness.subscriber(SRTPSuite.allCases[$0 % 3]) }
        for (v, subscriber) in subscribers.enumerated() {
            for (p, producer) in producers.enumerated() where v % 4 != p { harness.subscribe(subscriber, to: producer) }
        }
        var sent: [[SourcePacket]] = Array(repeating: [], count: 4)
        for round in 0..<60 {
            for _ in 0...random.below(6) {
                let s = random.below(4)
                let base = 30 + random.below(random.below(3) == 0 ? 1900 : 200)
                let packets =
                    s < 2
                    ? [sources[s].audioPacket(bytes: base)]
                    : sources[s].frame(
                        isKey: sent[s].isEmpty || random.below(5) == 0, packets: 1 + random.below(30),
                        sizes: (0..<5).map { _ in base + random.below(24) })
                sent[s] += packets
                try harness.feed(packets, to: producers[s])
            }
            if round % 3 != 0 || random.below(2) == 0 { try harness.flush() }
        }
        try harness.flush()
        for (v, subscriber) in subscribers.enumerated() {
            for s in 0..<4 {
                let got = subscriber.packets.values.first { $0[0].sourceID == UInt32(s) } ?? []
                #expect(got.map(\.payload) == (v % 4 == s ? [] : sent[s].map(\.payload)))
                #expect(got.allSatisfy { $0.header.paddingLength <= (s < 2 ? 32 : 16) })
            }
        }
    }

    /// Messages of 200 rounds in which each publisher sends one packet of 40 to 160 bytes, as Opus does.
    @Test(
        "Audio of several publishers leaves in few messages; padding adds at most 3 % to each stream",
        arguments: [(3, 2.0), (10, 2.9), (30, 4.0)])
    func audio(_ publishers: Int, _ packetsPerMessage: Double) throws {
        var random = SeededGenerator(seed: UInt64(publishers))
        let harness = RouterHarness()
        var sources = (0..<publishers).map { SyntheticSource(id: UInt32($0), kind: .audio) }
        let means = sources.map { _ in 70 + random.below(60) }
        let producers = sources.map { harness.producer($0) }
        let subscribers = try (0..<3).map { _ in try harness.subscriber() }
        for (v, subscriber) in subscribers.enumerated() {
            for (p, producer) in producers.enumerated() where p != v { harness.subscribe(subscriber, to: producer) }
        }
        var sent: [[SourcePacket]] = Array(repeating: [], count: publishers)
        for _ in 0..<200 {
            for s in sources.indices {
                let packet = sources[s].audioPacket(bytes: means[s] - 30 + random.below(60))
                sent[s].append(packet)
                try harness.feed([packet], to: producers[s])
            }
            try harness.flush()
            harness.now += .milliseconds(20)
        }
        #expect(Double(3 * 200 * (publishers - 1)) / Double(harness.messages) >= packetsPerMessage)
        for (v, subscriber) in subscribers.enumerated() {
            for s in sources.indices where s != v {
                let got = try #require(subscriber.packets.values.first { $0[0].sourceID == UInt32(s) })
                #expect(got.map(\.payload) == sent[s].map(\.payload))
                #expect(got.allSatisfy { $0.header.paddingLength <= 32 })
                let padding = got.reduce(0) { $0 + $1.header.paddingLength }
                let bytes = got.reduce(0) { $0 + $1.datagramLength + 28 }
                #expect(padding * 100 <= 3 * (bytes - padding))
            }
        }
    }

    @Test("Audio that arrives within a frame of video does not divide the frame's run")
    func audioWithinVideo() throws {
        let harness = RouterHarness()
        var (video, audio) = (SyntheticSource(id: 1, kind: .video), SyntheticSource(id: 2, kind: .audio))
        let (camera, microphone) = (harness.producer(video), harness.producer(audio))
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: camera)
        harness.subscribe(subscriber, to: microphone)
        let frame = video.frame(isKey: true, packets: 6, sizes: [1000])
        for packet in frame {
            try harness.feed([packet], to: camera)
            if packet.index % 2 == 0 { try harness.feed([audio.audioPacket(bytes: 80)], to: microphone) }
        }
        try harness.flush()
        #expect(harness.messages == 2)
    }

    @Test("Without segmentation nothing is padded")
    func withoutSegmentation() throws {
        let harness = RouterHarness(maximumSegments: 1)
        var video = SyntheticSource(id: 1, kind: .video)
        var audioSources = (2...4).map { SyntheticSource(id: $0, kind: .audio) }
        let subscriber = try harness.subscriber()
        let camera = harness.producer(video)
        let microphones = audioSources.map { harness.producer($0) }
        for producer in microphones + [camera] { harness.subscribe(subscriber, to: producer) }
        for round in 0..<9 {
            for s in audioSources.indices {
                try harness.feed([audioSources[s].audioPacket(bytes: 80 + s)], to: microphones[s])
            }
            try harness.feed(video.frame(isKey: round == 0, packets: 4, sizes: [1000, 1010]), to: camera)
            try harness.flush()
        }
        let received = subscriber.packets.values.joined()
        #expect(received.count == 9 * 7)
        #expect(received.allSatisfy { $0.header.paddingLength == 0 })
    }

    @Test("A retransmission carries the padding of the first transmission")
    func retransmittedPadding() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(source.frame(isKey: true, packets: 3, sizes: [500, 510]), to: producer)
        try harness.flush()
        let first = try #require(subscriber.received.first)
        #expect(first.header.paddingLength == 10)
        // The test subscriber compares the datagrams byte by byte.
        #expect(try harness.retransmit([first.header.sequenceNumber], to: subscriber, of: producer) == 1)
        #expect(subscriber.repeated.map(\.sequence) == [first.sequence])
    }
}
