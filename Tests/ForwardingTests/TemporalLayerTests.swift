import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Temporal layers")
struct TemporalLayerTests {
    @Test("A limit leaves no gap in sequence numbers and PictureIDs", arguments: [UInt8(0), 1, 2, 3], [false, true])
    func limit(_ limit: UInt8, _ narrow: Bool) throws {
        let harness = RouterHarness()
        var source = LayeredSource(SyntheticSource(id: 1, kind: .video, firstSequence: 65_500), seed: 3)
        source.source.hasNarrowPictureIDs = narrow
        source.source.pictureID = narrow ? 100 : 32_700
        let producer = harness.producer(source.source)
        let subscriber = try harness.subscriber(.aeadAES128GCM)
        harness.subscribe(subscriber, to: producer, layerLimit: limit)
        for p in 0..<200 {
            try harness.feed(source.frame(isKey: p % 90 == 0), to: producer)
            try harness.flush()
        }
        let wanted = source.frames.filter { $0.layer <= limit }
        #expect(subscriber.received.map(\.index) == wanted.flatMap { $0.packets.map(\.index) })
        #expect(subscriber.received.map(\.sequence) == subscriber.received.indices.map { Int64($0) + 100 })
        let seen = try ViewedFrames(subscriber.received, of: [1: source])
        #expect(seen.frames.map(\.number) == wanted.map(\.number))
        try Self.expectContinuous(seen, narrow: narrow)
    }

    static func expectContinuous(_ seen: ViewedFrames, narrow: Bool = false) throws {
        let mask: UInt16 = narrow ? 0x7f : 0x7fff
        for (earlier, later) in zip(seen.frames, seen.frames.dropFirst()) {
            let before = try #require(earlier.packets[0].descriptor)
            let after = try #require(later.packets[0].descriptor)
            #expect(after.pictureID == (before.pictureID &+ 1) & mask)
            #expect(after.tl0PicIdx == before.tl0PicIdx &+ (after.temporalID == 0 ? 1 : 0))
            #expect(later.packets[0].header.timestamp.distance(from: earlier.packets[0].header.timestamp) > 0)
        }
    }

    @Test("A lower limit holds from the next frame, a higher one from a frame without a reference to omitted frames")
    func changes() throws {
        let harness = RouterHarness()
        var source = LayeredSource(SyntheticSource(id: 1, kind: .video), seed: 5)
        let producer = harness.producer(source.source)
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        var limits: [UInt8] = []
        for p in 0..<400 {
            if p % 40 == 10 {
                harness.router.setLayerLimit(UInt8(p / 40 % 4), path: subscriber.path, producer: producer)
            }
            let frame = source.frame(isKey: p % 130 == 0, packets: 3)
            // A change in the middle of a frame does not affect it.
            try harness.feed(Array(frame[..<2]), to: producer)
            try harness.flush()
            if p % 40 == 35 { harness.router.setLayerLimit(0, path: subscriber.path, producer: producer) }
            try harness.feed(Array(frame[2...]), to: producer)
            try harness.flush()
            limits.append(try harness.consumer(subscriber, of: producer).pointee.rewrite.layerLimit)
        }
        let seen = try ViewedFrames(subscriber.received, of: [1: source])
        #expect(seen.frames.allSatisfy { $0.isWhole })
        try Self.expectContinuous(seen)
        expectDecodable(seen, [1: source], lost: [:])
        // The limit went all the way up and down, and up not only at key frames.
        #expect(Set(limits) == [0, 1, 2, 3])
        #expect(subscriber.received.map(\.sequence) == subscriber.received.indices.map { Int64($0) + 100 })
    }

    /// Checks that all references of each complete frame arrived as well, unless they were lost before the relay.
    private func expectDecodable(_ seen: ViewedFrames, _ sources: [UInt32: LayeredSource], lost: [UInt32: Set<Int64>]) {
        for (id, source) in sources {
            let whole = Set(seen.frames.filter { $0.isWhole && $0.source == id }.map(\.number))
            guard let first = whole.min() else { continue }
            if lost[id, default: []].isEmpty { #expect(source.frames[first].isKey) }
            for number in whole {
                for reference in source.frames[number].references where !whole.contains(reference) {
                    let packets = source.frames[reference].packets.map(\.index)
                    #expect(
                        packets.contains { lost[id]?.contains($0) == true },
                        "frame \(number) (layer \(source.frames[number].layer)) lacks \(reference)")
                }
            }
        }
    }

    @Test(
        "Any loss, order and change of limits: requested packets arrive, no number is used twice, all frames can be decoded",
        arguments: UInt64(1)...16)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 104_729)
        let harness = RouterHarness(maximumSegments: seed % 4 == 0 ? 1 : 64)
        let loses = seed % 2 == 0
        var source = LayeredSource(
            SyntheticSource(id: 1, kind: .video, firstSequence: UInt16(65_000 + random.below(500)), seed: seed),
            seed: seed)
        let producer = harness.producer(source.source)
        let hasRTX = seed % 3 != 0
        let subscribers = try (0..<6).map { v in
            let subscriber = try harness.subscriber(SRTPSuite.allCases[v % 3], lane: .webRTC)
            let media = SSRC(UInt32(0x100 + v))
            let rtx = RTXStream(ssrc: SSRC(UInt32(0x200 + v)), payloadType: PayloadType(97))
            if hasRTX { subscriber.streams.rtx[rtx.ssrc.rawValue] = media.rawValue }
            harness.subscribe(
                subscriber, to: producer, ssrc: media, progress: .init(firstSequence: UInt16(32_700 + v)),
                rtx: hasRTX ? rtx : nil,
                extensions: hasRTX ? .init(map: HeaderExtensionTests.map(), kind: .video) : .init(),
                layerLimit: UInt8(random.below(4)))
            return subscriber
        }
        var held: [SourcePacket] = []
        var lost: Set<Int64> = []
        /// Packets that arrive while their subscriber is paused need not be delivered before they are requested.
        var late: Set<Int64> = []
        var needsKey = true
        for _ in 0..<600 {
            let packets = source.frame(isKey: needsKey || random.below(60) == 0)
            needsKey = false
            for packet in packets {
                switch random.below(20) {
                case 0, 1:
                    held.append(packet)
                    late.insert(packet.index)
                case 2 where loses && random.below(2) == 0: lost.insert(packet.index)
                default: try harness.feed([packet], to: producer)
                }
            }
            while !held.isEmpty, random.below(3) == 0 || held.count > 20 {
                let packet = held.remove(at: random.below(held.count))
                if producer.latestSequence >= packet.index {
                    try harness.feed([packet], to: producer)
                } else {
                    held.append(packet); break
                }
            }
            if random.below(3) == 0 { try harness.flush() }
            if random.below(3) == 0 { try harness.catchUp() }
            let subscriber = subscribers[random.below(subscribers.count)]
            switch random.below(60) {
            case 0...3:
                try harness.flush()
                harness.router.setLayerLimit(UInt8(random.below(4)), path: subscriber.path, producer: producer)
            case 4:
                try harness.flush()
                let paused = random.below(2) == 0
                if harness.router.setPaused(paused, path: subscriber.path, producer: producer) { needsKey = true }
            case 5...9:
                guard let newest = subscriber.packets.first?.value.last else { break }
                let asked = (0..<30).map { _ in newest.header.sequenceNumber.advanced(by: -random.below(120)) }
                _ = try harness.retransmit(asked, to: subscriber, of: producer)
            default: break
            }
        }
        try harness.flush()
        for packet in held where producer.latestSequence >= packet.index { try harness.feed([packet], to: producer) }
        try harness.flush()
        try harness.catchUpCompletely()
        for (v, subscriber) in subscribers.enumerated() {
            let media = UInt32(0x100 + v)
            var all = subscriber.packets[media] ?? []
            guard let first = all.map(\.sequence).min(), let last = all.map(\.sequence).max() else { continue }
            // All missing packets are requested.
            let numbers = { Set(all.map(\.sequence) + (subscriber.streams.fillers[media] ?? [])) }
            let missing = (max(first, last - 400)...last).filter { !numbers().contains($0) }
            for start in stride(from: 0, to: missing.count, by: 60) {
                let asked = missing[start..<min(start + 60, missing.count)].map {
                    SequenceNumber(UInt16(truncatingIfNeeded: $0))
                }
                _ = try harness.retransmit(asked, to: subscriber, of: producer)
            }
            all = subscriber.packets[media] ?? []
            for packet in subscriber.streams.retransmitted[media] ?? []
            where !all.contains(where: { $0.index == packet.index }) {
                all.append(packet)
            }
            #expect(Set(all.map(\.index)).count == all.count)
            #expect(Set(all.map(\.sequence)).count == all.count)
            let fillers = subscriber.streams.fillers[media] ?? []
            #expect(Set(all.map(\.sequence)).isDisjoint(with: fillers))
            let seen = try ViewedFrames(all, of: [1: source])
            if !loses {
                let got = numbers()
                let holes = (max(first, last - 400)...last).filter { !got.contains($0) }
                #expect(holes.isEmpty)
            }
            expectDecodable(seen, [1: source], lost: [1: lost.union(late)])
            let stamps = seen.frames.map { $0.packets[0].header.timestamp }
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1.distance(from: $0) >= 0 })
        }
    }
}
