import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Header extensions to a subscriber")
struct HeaderExtensionTests {
    /// Returns numbers for every kind except `without`, shifted so that each subscriber has its own.
    static func map(first: UInt8 = 1, without: Set<RTPExtensionKind> = []) -> RTPExtensionMap {
        var map = RTPExtensionMap()
        for kind in RTPExtensionKind.allCases where !without.contains(kind) { map[kind] = first + kind.rawValue }
        return map
    }

    /// Returns the extensions of a publisher's packet.
    static func values(
        level: UInt8? = nil, captureTime: AbsoluteCaptureTime? = nil, orientation: UInt8? = nil
    ) -> RTPExtensionValues {
        let map = map()
        var packet = [UInt8](repeating: 0, count: 80)
        return packet.withUnsafeMutableBytes { bytes in
            var writer = RTPHeaderExtensionWriter(
                buffer: UnsafeMutableRawBufferPointer(rebasing: bytes[12...]), form: .oneByte)
            if let level { writer.append(AudioLevel(rawValue: level), as: map) }
            if let captureTime { writer.append(captureTime, as: map) }
            if let orientation { writer.append(VideoOrientation(rawValue: orientation), as: map) }
            let length = writer.finish()
            guard length > 0 else { return RTPExtensionValues() }
            bytes[0] = 0x90
            guard let header = try? RTPHeader(parsing: UnsafeRawBufferPointer(bytes)) else {
                return RTPExtensionValues()
            }
            return RTPExtensionValues(header, in: UnsafeRawBufferPointer(bytes), map: map)
        }
    }

    @Test(
        "Each subscriber gets extensions under its own numbers; transport-wide numbers count over all its streams",
        arguments: [UInt8(1), 5, 100], SRTPSuite.allCases)
    func everything(_ first: UInt8, _ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var audioSource = SyntheticSource(id: 1, kind: .audio)
        var videoSource = SyntheticSource(id: 2, kind: .video)
        let producers = (harness.producer(audioSource), harness.producer(videoSource))
        let plain = try harness.subscriber(suite)
        let subscriber = try harness.subscriber(suite, lane: .webRTC)
        let map = Self.map(first: first)
        let mids = try (#require(MID("0")), #require(MID(String(repeating: "m", count: 16))))
        let delay = PlayoutDelay(minimum: .zero, maximum: .milliseconds(400))
        for subscriber in [plain, subscriber] {
            let isPlain = subscriber === plain
            harness.subscribe(
                subscriber, to: producers.0, ssrc: SSRC(10),
                extensions: isPlain ? .init() : .init(map: map, kind: .audio, mid: mids.0, playoutDelay: delay))
            harness.subscribe(
                subscriber, to: producers.1, ssrc: SSRC(20),
                extensions: isPlain ? .init() : .init(map: map, kind: .video, mid: mids.1, playoutDelay: delay))
        }
        var sent: [(ssrc: UInt32, packet: SourcePacket, at: MediaTime, level: UInt8?, capture: AbsoluteCaptureTime?)] =
            []
        for round in 0..<40 {
            let level: UInt8? = round % 3 == 2 ? nil : UInt8(round) | (round % 2 == 0 ? 0x80 : 0)
            let capture: AbsoluteCaptureTime? =
                round % 10 == 3
                ? AbsoluteCaptureTime(
                    NTPTime(rawValue: 0x1234_5678_9abc_def0 &+ UInt64(round)), offset: round % 20 == 3 ? -5 : nil)
                : nil
            let packet = audioSource.audioPacket(bytes: 80 + round)
            #expect(
                try harness.feed(packet, to: producers.0, extensions: Self.values(level: level, captureTime: capture))
                    == .forward)
            sent.append((10, packet, harness.now, level, capture))
            for packet in videoSource.frame(isKey: round == 0, packets: 3, sizes: [700]) {
                #expect(
                    try harness.feed(packet, to: producers.1, extensions: Self.values(captureTime: capture)) == .forward
                )
                sent.append((20, packet, harness.now, nil, capture))
            }
            try harness.flush()
            harness.now += .microseconds(Int64(20_000 + 777 * round))
        }
        for packets in plain.packets.values {
            #expect(packets.allSatisfy { !$0.header.hasExtension && $0.head.count == 12 })
        }
        var number: [UInt32: Int] = [:]
        for (i, one) in sent.enumerated() {
            let at = number[one.ssrc, default: 0]
            number[one.ssrc] = at + 1
            let got = try #require(subscriber.packets[one.ssrc])[at]
            #expect(got.index == one.packet.index && got.payload.count == one.packet.payload.count)
            let values = got.extensions(map)
            #expect(values.transportSequence?.number.rawValue == UInt16(i))
            #expect(values.sendTime == AbsoluteSendTime(one.at))
            #expect(values.audioLevel?.rawValue == one.level)
            #expect(values.captureTime == one.capture)
            #expect(values.playoutDelay == (one.ssrc == 20 ? delay : nil))
            #expect(got.mid(map) == (one.ssrc == 10 ? mids.0 : mids.1).rawValue)
            let noted = try #require(subscriber.sent.pointee.find(Int64(i)))
            #expect(Int(noted.bytes) == got.datagramLength && noted.probe == 0)
            #expect(noted.time == UInt32(truncatingIfNeeded: one.at.rawValue / 1000))
        }
        #expect(plain.sent.pointee.next == 0)
        // Packets of equal size stay one run of segments.
        #expect(harness.messages < 40 * 2 * 3)
    }

    @Test(
        "CAN-3 a rotation is sent to subscribers that negotiated it, with the packets that carried it",
        arguments: [UInt8(1), 100])
    func orientation(first: UInt8) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let (map, without) = (Self.map(first: first), Self.map(first: first, without: [.videoOrientation]))
        // The longest possible extension block.
        let mid = MID("0123456789abcdef")
        let subscribers = try [map, without].map { map in
            let subscriber = try harness.subscriber(.aeadAES128GCM)
            harness.subscribe(subscriber, to: producer, extensions: .init(map: map, kind: .video, mid: mid))
            return subscriber
        }
        var sent: [UInt8?] = []
        for orientation in [1, nil, 0, 2, 3, 0x0f, nil] as [UInt8?] {
            for packet in source.frame(isKey: sent.isEmpty, packets: 1) {
                try harness.feed(packet, to: producer, extensions: Self.values(orientation: orientation))
            }
            sent.append(orientation)
            // The newest value holds.
            #expect(producer.rotation.rawValue == Int((sent.compactMap(\.self).last ?? 0) & 3) * 90)
        }
        try harness.flush()
        #expect(subscribers[0].received.map { $0.extensions(map).videoOrientation?.rawValue } == sent)
        #expect(
            subscribers[0].received.allSatisfy { $0.mid(map) == mid?.rawValue && $0.extensions(map).sendTime != nil })
        #expect(subscribers[1].received.count == sent.count)
        #expect(subscribers[1].received.allSatisfy { $0.extensions(map).videoOrientation == nil })
    }

    @Test("Any map, section and packet gives a block that reads back", arguments: UInt64(1)...20)
    func anyMap(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let harness = RouterHarness()
        for round in 0..<40 {
            let kind: MediaKind = random.below(2) == 0 ? .audio : .video
            var source = SyntheticSource(id: UInt32(round), kind: kind)
            let producer = harness.producer(source)
            var map = RTPExtensionMap()
            var free = (random.below(2) == 0 ? Array(UInt8(1)...14) : Array(UInt8(1)...255))
            for kind in RTPExtensionKind.allCases where random.below(3) > 0 {
                map[kind] = free.remove(at: random.below(free.count))
            }
            let mid = random.below(4) == 0 ? nil : MID(String(repeating: "x", count: 1 + random.below(16)))
            let delay = PlayoutDelay(minimum: .milliseconds(10), maximum: .milliseconds(20))
            let subscriber = try harness.subscriber(SRTPSuite.allCases[random.below(3)])
            harness.subscribe(
                subscriber, to: producer, extensions: .init(map: map, kind: kind, mid: mid, playoutDelay: delay))
            let level: UInt8? = random.below(2) == 0 ? 33 : nil
            let capture =
                random.below(2) == 0
                ? AbsoluteCaptureTime(NTPTime(rawValue: random.next()), offset: random.below(2) == 0 ? 9 : nil) : nil
            let packet =
                kind == .audio ? source.audioPacket(bytes: 30) : source.frame(isKey: true, packets: 1, sizes: [40])[0]
            try harness.feed(packet, to: producer, extensions: Self.values(level: level, captureTime: capture))
            try harness.flush()
            let got = try #require(subscriber.received.first)
            let values = got.extensions(map)
            #expect(values.transportSequence?.number.rawValue == (map[.transportWideCC] == nil ? nil : 0))
            #expect(values.sendTime == (map[.absSendTime] == nil ? nil : AbsoluteSendTime(harness.now)))
            #expect(values.audioLevel?.rawValue == (map[.audioLevel] == nil || kind == .video ? nil : level))
            #expect(values.captureTime == (map[.absCaptureTime] == nil ? nil : capture))
            #expect(values.playoutDelay == (map[.playoutDelay] == nil || kind == .audio ? nil : delay))
            #expect(got.mid(map) == (map[.mid] == nil ? nil : mid?.rawValue))
            #expect(subscriber.sent.pointee.next == (map[.transportWideCC] == nil ? 0 : 1))
            harness.leave(subscriber)
        }
    }

    @Test("Large batches with extensions stay within the slab, and each lane has its own messages")
    func lanes() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscribers = try (0..<60).map {
            try harness.subscriber(SRTPSuite.allCases[$0 % 3], lane: EgressLane.allCases[$0 % 3])
        }
        for (v, subscriber) in subscribers.enumerated() {
            harness.subscribe(
                subscriber, to: producer,
                extensions: v % 2 == 0 ? .init() : .init(map: Self.map(), kind: .video, mid: MID("0123456789abcdef")))
        }
        var sent: [SourcePacket] = []
        for f in 0..<4 { sent += source.frame(isKey: f == 0, packets: 60, sizes: [60, 1200, 77]) }
        try harness.feed(sent, to: producer)
        try harness.flush()
        for subscriber in subscribers { #expect(subscriber.received.map(\.index) == sent.map(\.index)) }
    }

    @Test(
        "A retransmitted packet has a new transport-wide number; with AEAD it is not retransmitted on its stream",
        arguments: SRTPSuite.allCases)
    func plainRetransmission(_ suite: SRTPSuite) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber(suite)
        harness.subscribe(subscriber, to: producer, extensions: .init(map: Self.map(), kind: .video))
        try harness.feed(source.frame(isKey: true, packets: 5), to: producer)
        try harness.flush()
        let asked = subscriber.received.map(\.header.sequenceNumber)
        // The test subscriber compares the payload's ciphertext.
        #expect(try harness.retransmit(asked, to: subscriber, of: producer) == (suite.isAEAD ? 0 : 5))
        #expect(subscriber.sent.pointee.next == (suite.isAEAD ? 5 : 10))
    }
}
