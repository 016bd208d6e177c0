import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Spatial layers by dependency descriptor")
struct SpatialLayerTests {
    struct Mode: Sendable, CustomTestStringConvertible {
        var spatial: Int
        var temporal: Int
        var testDescription: String { "L\(spatial)T\(temporal)_KEY" }
        static let all = [(3, 3), (1, 3), (2, 1), (3, 1), (2, 2), (2, 3)].map { Mode(spatial: $0, temporal: $1) }
    }

    /// A source, its producer and one subscriber, with the packets that were sent.
    final class Bench {
        let harness = RouterHarness()
        var source: SyntheticLayers
        let producer: Producer
        let subscriber: Subscriber
        private(set) var sent: [Int64: SyntheticLayers.Packet] = [:]

        init(
            _ mode: Mode, limit: UInt8? = 3, rtx: RTXStream? = nil,
            extensions: HeaderExtensionTemplate = HeaderExtensionTemplate()
        ) throws {
            source = SyntheticLayers(spatialLayers: mode.spatial, temporalLayers: mode.temporal)
            producer = Producer(
                .init(kind: .video, codec: .vp9, ssrc: source.ssrc, payloadType: SyntheticLayers.payloadType),
                now: harness.now)
            harness.router.add(producer)
            subscriber = try harness.subscriber(.aeadAES128GCM)
            subscriber.streams.payloadHeader = SyntheticLayers.payloadHeader
            if let limit { subscribe(limit, rtx, extensions) }
        }

        func subscribe(
            _ limit: UInt8, _ rtx: RTXStream? = nil, _ extensions: HeaderExtensionTemplate = HeaderExtensionTemplate()
        ) {
            if let rtx { subscriber.streams.rtx[rtx.ssrc.rawValue] = 0x100 }
            harness.subscribe(
                subscriber, to: producer, ssrc: SSRC(0x100), rtx: rtx, extensions: extensions, layerLimit: limit)
        }

        /// Feeds one packet.
        /// - Parameter descriptor: nil: that of the packet; empty: none.
        func feed(_ packet: SyntheticLayers.Packet, descriptor: [UInt8]? = nil) throws {
            sent[packet.packet.index] = packet
            var slot: UnsafeMutablePointer<StoredPacket>?
            let outcome = packet.packet.payload.withUnsafeBytes { payload in
                (descriptor ?? packet.descriptor).withUnsafeBytes { bytes in
                    producer.receive(
                        packet.packet.header, payload: payload, descriptor: bytes.isEmpty ? nil : bytes,
                        now: harness.now, stored: &slot)
                }
            }
            try #require(outcome == .forward)
            let stored = try #require(slot)
            try #require(harness.router.enqueue(stored, of: producer))
        }

        /// Feeds all layers of the next time.
        @discardableResult
        func next(
            isKey: Bool, packets: Int = 2, leavingOut: Set<Int> = []
        ) throws -> [SyntheticLayers.Packet] {
            let made = source.next(isKey: isKey, packets: packets, leavingOut: leavingOut)
            for packet in made { try feed(packet) }
            try harness.flush()
            harness.now += .milliseconds(33)
            return made
        }

        func limit(_ limit: UInt8) {
            harness.router.setLayerLimit(limit, path: subscriber.path, producer: producer)
        }

        /// Position of a packet in the order of layers, computed independently of the relay.
        func position(_ packet: SyntheticLayers.Packet) -> Int {
            let base = min(source.temporalLayers, [4, 3, 2, 1][source.spatialLayers - 1])
            return packet.spatial == 0 ? min(packet.temporal, base - 1) : base - 1 + packet.spatial
        }

        /// Returns what the subscriber received, in the order of its sequence numbers.
        func received() throws -> [(viewed: ViewedPacket, packet: SyntheticLayers.Packet)] {
            try subscriber.received.sorted { $0.sequence < $1.sequence }.map { ($0, try #require(sent[$0.index])) }
        }

        /// Checks that the subscriber got each packet once, under numbers without a gap, and gets the newest again on request.
        func checkNumbers() throws {
            let all = subscriber.received
            let numbers = Set(all.map(\.sequence) + (subscriber.streams.fillers[0x100] ?? []))
            let newest = try #require(numbers.max())
            #expect(Set(all.map(\.index)).count == all.count && Set(all.map(\.sequence)).count == all.count)
            #expect((100...newest).allSatisfy(numbers.contains), "a gap")
            // With the same marker bits: `ReceivedStreams` compares the packets.
            let asked = all.suffix(60).map(\.header.sequenceNumber)
            #expect(try harness.retransmit(asked, to: subscriber, of: producer) == asked.count)
        }
    }

    @Test(
        "A limit leaves no gap in sequence numbers; the last packet of each frame has the marker bit",
        arguments: Mode.all, [UInt8(0), 1, 2, 3])
    func limit(_ mode: Mode, _ limit: UInt8) throws {
        let bench = try Bench(mode, limit: limit)
        var expected: [Int64] = []
        for time in 0..<120 {
            let made = try bench.next(isKey: time % 50 == 0)
            expected += made.filter { bench.position($0) <= Int(limit) }.map(\.packet.index)
        }
        let received = try bench.received()
        #expect(received.map(\.viewed.index) == expected)
        #expect(received.map(\.viewed.sequence) == received.indices.map { Int64($0) + 100 })
        for (index, one) in received.enumerated() {
            let isLast = index + 1 == received.count || received[index + 1].packet.time != one.packet.time
            #expect(one.viewed.header.marker == isLast, "\(one.viewed)")
            // PictureIDs keep their differences, to which the references of frames refer.
            #expect(one.viewed.payload == one.packet.packet.payload)
        }
        #expect(bench.producer.frameSize?.width == SyntheticLayers.width)
    }

    @Test(
        "The limit falls at the next frame, rises to temporal layers at a switch indication, and to spatial layers at a key frame"
    )
    func changes() throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 3))
        var limits: [Int] = []
        for time in 0..<100 {
            switch time {
            case 10: bench.limit(1)
            case 22: bench.limit(0)
            case 29: bench.limit(1)
            case 38: bench.limit(2)
            case 60: bench.limit(3)
            default: break
            }
            try bench.next(isKey: time == 0 || time == 45 || time == 75)
            limits.append(
                Int(try bench.harness.consumer(bench.subscriber, of: bench.producer).pointee.rewrite.layerLimit))
            #expect(
                bench.harness.router.waitsForSpatialLayer(path: bench.subscriber.path, producer: bench.producer)
                    == ((38..<45).contains(time) || (60..<75).contains(time)), "\(time)")
        }
        let expected = (0..<100).map { time in
            switch time {
            case ..<10: 3
            case ..<22: 1
            // A frame of the base layer comes at each fourth time.
            case ..<32: 0
            case ..<45: 1
            case ..<75: 2
            default: 3
            }
        }
        #expect(limits == expected)
        let received = try bench.received()
        #expect(received.map(\.viewed.sequence) == received.indices.map { Int64($0) + 100 })
        for (index, one) in received.enumerated() {
            #expect(bench.position(one.packet) <= expected[one.packet.time])
            let isLast = index + 1 == received.count || received[index + 1].packet.time != one.packet.time
            #expect(one.viewed.header.marker == isLast)
        }
        for (time, limit) in expected.enumerated() {
            let spatial = received.filter { $0.packet.time == time }.map(\.packet.spatial).max()
            guard limit > 0 else { continue }
            #expect(spatial == limit - 1, "\(time)")
        }
    }

    @Test(
        "A switch to a lower spatial layer is reported at the next frame, one to a higher layer at the key frame, and none that is withdrawn"
    )
    func reports() throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 3))
        let router = bench.harness.router
        /// Requests a limit, and returns the times from the request to the reported switches during the next frames.
        func request(_ limit: UInt8, frames: Int, keyAt: Int? = nil) throws -> [MediaTime] {
            let asksForKeyFrame = router.switchConsumer(
                path: bench.subscriber.path, from: bench.producer, to: bench.producer, layerLimit: limit,
                now: bench.harness.now)
            #expect(!asksForKeyFrame, "waitsForSpatialLayer decides that")
            let start = bench.harness.now
            bench.harness.now += .milliseconds(5)
            for frame in 0..<frames { try bench.next(isKey: frame == keyAt) }
            return router.takeSwitches().map { change in
                #expect(change.from == bench.source.ssrc && change.to == bench.source.ssrc)
                #expect(change.path == bench.subscriber.path && change.ssrc == SSRC(0x100))
                #expect(change.requestedAt == start)
                return change.at - change.requestedAt
            }
        }
        for time in 0..<5 { try bench.next(isKey: time == 0) }
        #expect(try request(2, frames: 3) == [.milliseconds(5)])
        #expect(try request(1, frames: 3) == [.milliseconds(5)])
        // Temporal layers of the lowest spatial layer.
        #expect(try request(0, frames: 4) == [] && request(1, frames: 8) == [])
        #expect(try request(3, frames: 6, keyAt: 4) == [.milliseconds(5 + 4 * 33)])
        #expect(try request(3, frames: 3, keyAt: 1) == [])
        #expect(try request(1, frames: 3) == [.milliseconds(5)])
        #expect(try request(2, frames: 3) == [] && request(1, frames: 3, keyAt: 0) == [])
    }

    @Test("Descriptors are forwarded, and their frame numbers continue when the publisher restarts its encoder")
    func descriptors() throws {
        let map = HeaderExtensionTests.map()
        let rtx = RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97))
        let bench = try Bench(
            Mode(spatial: 3, temporal: 3), limit: 2, rtx: rtx, extensions: .init(map: map, kind: .video))
        for time in 0..<10 { try bench.next(isKey: time == 0) }
        let before = try bench.received()
        var other = SyntheticLayers(
            id: 2, spatialLayers: 3, temporalLayers: 3, firstSequence: 30_000, templateOffset: 7)
        other.frameNumber = 41_000
        bench.producer.restart(ssrc: other.ssrc, first: SequenceNumber(30_000))
        bench.source = other
        for time in 0..<10 { try bench.next(isKey: time == 0) }
        let received = try bench.received()
        #expect(before.count == 40 && received.count == 80)
        let shift = try #require(before.last).packet.frameNumber &+ 1 &- 41_001
        func check(_ viewed: ViewedPacket, _ packet: SyntheticLayers.Packet) throws {
            let number = packet.frameNumber &+ (packet.packet.index < 40_000 ? shift : 0)
            var expected = packet.descriptor
            expected[1] = UInt8(number >> 8)
            expected[2] = UInt8(number & 0xff)
            // The head of a retransmission is that of the RTX packet.
            let found = try viewed.head.withUnsafeBytes { head in
                RTPExtensionValues(try RTPHeader(parsing: head), in: head, map: map).dependencyDescriptor(in: head)
                    .map(Array.init)
            }
            #expect(found == expected, "\(viewed)")
        }
        for one in received { try check(one.viewed, one.packet) }
        // Retransmissions have the same descriptors.
        let asked = received.suffix(20).map(\.viewed.header.sequenceNumber)
        #expect(try bench.harness.retransmit(asked, to: bench.subscriber, of: bench.producer) == 20)
        for viewed in bench.subscriber.streams.retransmitted[0x100] ?? [] {
            try check(viewed, try #require(bench.sent[viewed.index]))
        }
    }

    @Test(
        "Abandoned layers are not retransmitted: a request for one of their packets becomes a key frame request, once")
    func abandoned() throws {
        let rtx = RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97))
        let bench = try Bench(Mode(spatial: 3, temporal: 3), rtx: rtx)
        for time in 0..<5 { try bench.next(isKey: time == 0) }
        bench.harness.router.abandonLayers(path: bench.subscriber.path, producer: bench.producer)
        bench.limit(0)
        let before = bench.subscriber.received.map(\.header.sequenceNumber)
        for _ in 0..<8 { try bench.next(isKey: false) }
        #expect(!bench.producer.keyFrames.isWanted)
        let later = bench.subscriber.received.map(\.header.sequenceNumber).suffix(2)
        #expect(try bench.harness.retransmit(Array(later), to: bench.subscriber, of: bench.producer) == 2)
        #expect(!bench.producer.keyFrames.isWanted)
        #expect(try bench.harness.retransmit(Array(before.suffix(2)), to: bench.subscriber, of: bench.producer) == 0)
        #expect(bench.producer.keyFrames.isWanted)
        try bench.next(isKey: true)
        #expect(try bench.harness.retransmit(Array(before.suffix(2)), to: bench.subscriber, of: bench.producer) == 0)
        #expect(!bench.producer.keyFrames.isWanted)
        let received = try bench.received()
        #expect(received.map(\.viewed.sequence) == received.indices.map { Int64($0) + 100 })
        #expect(received.last?.packet.isKey == true && received.last?.packet.spatial == 0)
    }

    @Test("A late joiner with a limit starts at the cached key frame")
    func lateJoiner() throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 3), limit: nil)
        for time in 0..<9 { try bench.next(isKey: time == 2) }
        bench.subscribe(2)
        try bench.harness.catchUpCompletely()
        for _ in 0..<9 { try bench.next(isKey: false) }
        let received = try bench.received()
        #expect(received.first?.packet.isKey == true && received.first?.packet.time == 2)
        #expect(received.count == 16 * 2 * 2 && received.allSatisfy { $0.packet.spatial < 2 })
        #expect(received.map(\.viewed.sequence) == received.indices.map { Int64($0) + 100 })
    }

    @Test("Packets without a valid descriptor go to every subscriber; before the first structure, all packets do")
    func damaged() throws {
        let bench = try Bench(Mode(spatial: 3, temporal: 1), limit: 0)
        // The structure is missing, cut off, or of another stream.
        let damages: [[UInt8]] = [[], [0xc0], [0xff, 0, 1], [0x80, 0, 1, 0x80, 0xff]]
        for (time, damage) in damages.enumerated() {
            for packet in bench.source.next(isKey: time == 0) { try bench.feed(packet, descriptor: damage) }
            try bench.harness.flush()
        }
        #expect(bench.subscriber.received.count == 4 * 3 * 2)
        #expect(bench.producer.layerOrder.spatialLayers == 1)
        // From the first structure on, the limit applies, except to damaged packets.
        try bench.next(isKey: true)
        #expect(bench.subscriber.received.count == 24 + 2)
        let packets = bench.source.next(isKey: false)
        for (index, packet) in packets.enumerated() {
            try bench.feed(packet, descriptor: index == 4 ? [0x80, 0] : nil)
        }
        try bench.harness.flush()
        #expect(
            bench.subscriber.received.map(\.index).suffix(3)
                == [packets[0], packets[1], packets[4]].map(\.packet.index))
        #expect(bench.subscriber.received.map(\.sequence) == bench.subscriber.received.indices.map { Int64($0) + 100 })
    }

    @Test("A new structure takes effect at its key frame; a late key frame does not bring an old one back")
    func structures() throws {
        let bench = try Bench(Mode(spatial: 2, temporal: 1), limit: 0)
        try bench.next(isKey: true)
        let late = bench.source.next(isKey: true)
        var other = SyntheticLayers(spatialLayers: 3, temporalLayers: 1, templateOffset: 20)
        other.nextIndex = bench.source.nextIndex
        other.timestamp = bench.source.timestamp
        bench.source = other
        try bench.next(isKey: true)
        #expect(bench.producer.layerOrder.spatialLayers == 3)
        for packet in late { try bench.feed(packet) }
        try bench.harness.flush()
        #expect(bench.producer.layerOrder.spatialLayers == 3)
        let before = bench.subscriber.received.count
        try bench.next(isKey: false)
        #expect(bench.subscriber.received.count == before + 2)
    }

    @Test(
        "Any loss, order and change of limits: requested packets arrive, no number is used twice, every layer is whole",
        arguments: UInt64(1)...12)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 7919)
        let mode = Mode.all[Int(seed) % Mode.all.count]
        let rtx = RTXStream(ssrc: SSRC(0x200), payloadType: PayloadType(97))
        let bench = try Bench(mode, limit: UInt8(random.below(4)), rtx: rtx)
        var held: [SyntheticLayers.Packet] = []
        var needsKey = true
        for _ in 0..<300 {
            for packet in bench.source.next(isKey: needsKey || random.below(40) == 0, packets: 1 + random.below(3)) {
                if !needsKey, random.below(15) == 0 { held.append(packet) } else { try bench.feed(packet) }
            }
            needsKey = false
            try bench.harness.flush()
            while !held.isEmpty, random.below(3) == 0 {
                let packet = held.removeFirst()
                guard bench.producer.latestSequence >= packet.packet.index else {
                    held.insert(packet, at: 0)
                    break
                }
                try bench.feed(packet)
                try bench.harness.flush()
            }
            if random.below(12) == 0 { bench.limit(UInt8(random.below(4))) }
        }
        for packet in held where bench.producer.latestSequence >= packet.packet.index { try bench.feed(packet) }
        try bench.harness.flush()
        try bench.checkNumbers()
    }

    @Test("Captured VP9 of Chromium (L2T2): the lower spatial layer alone, with marker bits")
    func captured() throws {
        let datagrams = try TestVector.datagrams("captures/chromium-156-vp9-descriptor.hex", "rtp")
        var reader = LayerReader()
        var frames = FrameReader(.vp9)
        var positions: [UInt8] = []
        var ends: [UInt8] = []
        for (index, datagram) in datagrams.enumerated() {
            try datagram.withUnsafeBytes { bytes in
                let header = try RTPHeader(parsing: bytes)
                let element = try #require(header.extensions(in: bytes).first(id: 14))
                let payload = UnsafeRawBufferPointer(
                    rebasing: bytes[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
                var facts = try frames.read(payload, timestamp: Int64(header.timestamp.rawValue))
                reader.read(
                    UnsafeRawBufferPointer(rebasing: bytes[element.offset..<(element.offset + element.length)]),
                    sequence: Int64(index), into: &facts)
                positions.append(facts.fields.layer)
                ends.append(facts.fields.ends)
            }
        }
        #expect(reader.order.spatialLayers == 2 && reader.order.temporalLayers == 2)
        #expect(positions == [0, 2, 1, 2, 2])
        #expect(ends == [0b011, 0b1111, 0b011, 0, 0b1111])
        #expect(
            reader.order.size(ofSpatialLayer: 0)?.height == 136 && reader.order.size(ofSpatialLayer: 1)?.height == 272)
    }
}
