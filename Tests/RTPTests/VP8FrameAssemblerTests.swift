import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("VP8 packets to frames and back (RFC 7741 sections 4.1 and 4.4)")
struct VP8FrameAssemblerTests {
    struct Packet {
        var sequence: Int64
        var timestamp: Int64
        var marker: Bool
        var payload: [UInt8]
    }

    /// A synthetic stream: key frames have bit 0 of the first byte clear, the rest is random.
    static func stream(
        frames: Int, keyFrameEvery: Int, from first: Int64 = 65_530, seed: UInt64 = 3, nonReference: Bool = false
    ) -> (frames: [[UInt8]], packets: [Packet]) {
        var random = SeededGenerator(seed: seed)
        var packetizer = VP8Packetizer(maximumPayloadLength: 100, firstPictureID: 0x7ffe)
        var packets: [Packet] = []
        var all: [[UInt8]] = []
        for index in 0..<frames {
            var frame = random.bytes(1 + random.below(600))
            frame[0] = frame[0] & 0xfe | (index % keyFrameEvery == 0 ? 0 : 1)
            all.append(frame)
            let payloads = packetizer.payloads(
                of: frame, nonReference: nonReference && index % keyFrameEvery != 0)
            for (position, payload) in payloads.enumerated() {
                packets.append(
                    Packet(
                        sequence: first + Int64(packets.count), timestamp: Int64(index) * 3_000,
                        marker: position == payloads.count - 1, payload: payload))
            }
        }
        return (all, packets)
    }

    static func insert(_ packet: Packet, into assembler: inout FrameAssembler, now: MediaTime = .zero) {
        packet.payload.withUnsafeBytes {
            assembler.insert(
                sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, payload: $0, now: now)
        }
    }

    static func drain(_ assembler: inout FrameAssembler) -> (frames: [VideoFrame], gaps: [FrameAssembler.Gap]) {
        var frames: [VideoFrame] = []
        var gaps: [FrameAssembler.Gap] = []
        while let event = assembler.nextEvent() {
            switch event {
            case .frame(let frame): frames.append(frame)
            case .gap(let gap): gaps.append(gap)
            }
        }
        return (frames, gaps)
    }

    @Test("Sizes around the capacity of a packet", arguments: [1, 95, 96, 97, 192, 193, 1_000])
    func packetSizes(length: Int) {
        var packetizer = VP8Packetizer(maximumPayloadLength: 100)
        let frame = [UInt8](repeating: 7, count: length)
        let payloads = packetizer.payloads(of: frame)
        #expect(payloads.count == (length + 95) / 96)
        #expect(payloads.flatMap { $0.dropFirst(4) } == frame)
        #expect(payloads.allSatisfy { $0.count <= 100 })
        // All segments except the last have the same size, for one segmented send.
        #expect(Set(payloads.dropLast().map(\.count)).count <= 1)
        #expect((payloads.last?.count ?? 0) <= payloads[0].count)
    }

    @Test func writesLayersAndWrapsPictureIDs() throws {
        var packetizer = VP8Packetizer(firstPictureID: 0x7fff, firstTL0PicIdx: 255)
        let ids: [UInt8] = [0, 2, 1, 2, 0]
        let descriptors = try ids.map { id in
            try VP8PayloadDescriptorTests.parse(
                packetizer.payloads(of: [0, 1], layer: .init(temporalID: id, sync: id == 2))[0])
        }
        #expect(descriptors.map(\.pictureID) == [0x7fff, 0, 1, 2, 3])
        #expect(descriptors.map(\.temporalID) == ids)
        #expect(descriptors.map(\.tl0PicIdx) == [255, 255, 255, 255, 0])
        #expect(descriptors.map(\.layerSync) == [false, true, false, true, false])
    }

    @Test func framesComeOutWholeAndInOrder() {
        let (frames, packets) = Self.stream(frames: 50, keyFrameEvery: 10)
        var assembler = FrameAssembler()
        for packet in packets { Self.insert(packet, into: &assembler) }
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == frames)
        #expect(out.frames.map(\.isKeyFrame) == (0..<50).map { $0 % 10 == 0 })
        #expect(out.frames.map(\.pictureID) == (0..<50).map { UInt16((0x7ffe + $0) & 0x7fff) })
        #expect(out.gaps.isEmpty && assembler.droppedFrames == 0 && !assembler.isWaitingForKeyFrame)
    }

    @Test("Reordering and duplicates", arguments: 1...8 as ClosedRange<UInt64>)
    func reordering(seed: UInt64) {
        let (frames, packets) = Self.stream(frames: 60, keyFrameEvery: 10, seed: seed)
        var random = SeededGenerator(seed: seed)
        var order = packets
        for index in stride(from: 1, to: order.count - 8, by: 3) { order.swapAt(index, index + random.below(8)) }
        var assembler = FrameAssembler()
        for packet in order {
            Self.insert(packet, into: &assembler)
            if random.below(4) == 0 { Self.insert(packet, into: &assembler) }
        }
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == frames)
        #expect(out.gaps.isEmpty)
        #expect(assembler.lateOrDuplicatePackets > 0)
    }

    @Test("After a loss no frame is returned until the next key frame") func loss() throws {
        let (frames, packets) = Self.stream(frames: 30, keyFrameEvery: 10)
        let lost = try #require(packets.first { $0.timestamp == 13 * 3_000 })
        var assembler = FrameAssembler(maximumWait: .milliseconds(100))
        for packet in packets where packet.sequence != lost.sequence { Self.insert(packet, into: &assembler) }
        #expect(Self.drain(&assembler).frames.count == 13)
        #expect(assembler.nextTimeout == .milliseconds(100))
        assembler.handleTimeout(now: .milliseconds(99))
        #expect(Self.drain(&assembler).gaps.isEmpty)
        assembler.handleTimeout(now: .milliseconds(100))
        let out = Self.drain(&assembler)
        #expect(out.gaps == [.init(firstSequence: lost.sequence, count: 1, needsKeyFrame: true)])
        #expect(out.frames.map(\.bytes) == Array(frames[20...]))
        #expect(assembler.nextTimeout == nil)
    }

    @Test func aRetransmissionInTimeMendsAll() throws {
        let (frames, packets) = Self.stream(frames: 30, keyFrameEvery: 10)
        let late = packets[packets.count / 2]
        var assembler = FrameAssembler()
        for packet in packets where packet.sequence != late.sequence { Self.insert(packet, into: &assembler) }
        Self.insert(late, into: &assembler, now: .milliseconds(150))
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == frames && out.gaps.isEmpty)
    }

    @Test("A loss inside a non-reference frame costs only that frame") func lossOfNonReference() throws {
        let (frames, packets) = Self.stream(frames: 10, keyFrameEvery: 10, nonReference: true)
        let counts = Dictionary(grouping: packets, by: \.timestamp)
        let victim = try #require(counts.values.first { $0.count >= 3 && $0[0].timestamp > 0 })
        var assembler = FrameAssembler()
        for packet in packets where packet.sequence != victim[1].sequence { Self.insert(packet, into: &assembler) }
        assembler.flush()
        let out = Self.drain(&assembler)
        #expect(out.gaps == [.init(firstSequence: victim[1].sequence, count: 1, needsKeyFrame: false)])
        #expect(out.frames.count == frames.count - 1)
        #expect(!out.frames.contains { $0.timestamp == victim[0].timestamp })
    }

    @Test("Lost padding between frames is harmless") func lostPadding() {
        let (frames, packets) = Self.stream(frames: 4, keyFrameEvery: 10)
        var assembler = FrameAssembler()
        for packet in packets {
            var moved = packet
            if packet.timestamp >= 6_000 { moved.sequence += 5 }
            Self.insert(moved, into: &assembler)
        }
        assembler.flush()
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == frames)
        #expect(out.gaps.map(\.count) == [5] && out.gaps.map(\.needsKeyFrame) == [false])
    }

    @Test("Packets with only padding, within and between frames") func padding() {
        let (frames, packets) = Self.stream(frames: 20, keyFrameEvery: 10)
        var assembler = FrameAssembler()
        for packet in packets {
            var moved = packet
            moved.sequence = packet.sequence * 2
            Self.insert(moved, into: &assembler)
            Self.insert(
                Packet(sequence: moved.sequence + 1, timestamp: 0, marker: false, payload: []), into: &assembler)
        }
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == frames && out.gaps.isEmpty)
    }

    @Test func nothingComesBeforeTheFirstKeyFrame() {
        let (frames, packets) = Self.stream(frames: 25, keyFrameEvery: 10)
        var assembler = FrameAssembler()
        for packet in packets where packet.timestamp >= 4 * 3_000 { Self.insert(packet, into: &assembler) }
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == Array(frames[10...]) && out.gaps.isEmpty)
    }

    @Test func aSenderWithoutMarkersStillGivesFrames() {
        let (frames, packets) = Self.stream(frames: 12, keyFrameEvery: 4)
        var assembler = FrameAssembler()
        for packet in packets {
            var unmarked = packet
            unmarked.marker = false
            Self.insert(unmarked, into: &assembler)
        }
        #expect(Self.drain(&assembler).frames.map(\.bytes) == Array(frames.dropLast()))
    }

    @Test("A frame that the sender has not finished, before a key frame and without a missing number, is dropped")
    func unfinished() throws {
        let (frames, packets) = Self.stream(frames: 40, keyFrameEvery: 4)
        // Packets of the last frame before each key frame, without those whose frame has a single packet.
        let cut = packets.filter { packet in
            packet.marker && packet.timestamp / 3_000 % 4 == 3
                && packets.contains { $0.timestamp == packet.timestamp && !$0.marker }
        }.map(\.sequence)
        try #require(cut.count > 3)
        var assembler = FrameAssembler()
        var sequence: Int64 = 0
        for packet in packets where !cut.contains(packet.sequence) {
            var sent = packet
            sent.sequence = sequence
            sequence += 1
            Self.insert(sent, into: &assembler)
        }
        let out = Self.drain(&assembler)
        let lost = Set(packets.filter { cut.contains($0.sequence) }.map { Int($0.timestamp / 3_000) })
        // The last frame of the stream waits for its end.
        #expect(out.frames.map(\.bytes) == frames.indices.filter { !lost.contains($0) }.map { frames[$0] })
        #expect(out.gaps.isEmpty && assembler.droppedFrames == UInt64(lost.subtracting([39]).count))
    }

    @Test("Jumps of any size are survived", arguments: [1_024, 5_000, 1 << 40, 1 << 59] as [Int64])
    func jumps(distance: Int64) throws {
        let (frames, packets) = Self.stream(frames: 20, keyFrameEvery: 10)
        var assembler = FrameAssembler()
        for packet in packets {
            var moved = packet
            if packet.timestamp >= 15_000 { moved.sequence += distance }
            Self.insert(moved, into: &assembler)
        }
        let out = Self.drain(&assembler)
        #expect(out.frames.map(\.bytes) == Array(frames[..<5]) + Array(frames[10...]) || distance < 5_000)
        #expect(out.gaps.map(\.count) == [distance])
    }

    @Test func memoryIsBounded() {
        var assembler = FrameAssembler(packetCapacity: 64, byteCapacity: 10_000)
        let payload = [UInt8](repeating: 0, count: 1_000)
        for sequence in 0..<10_000 as Range<Int64> {
            Self.insert(Packet(sequence: sequence * 2, timestamp: 0, marker: false, payload: payload), into: &assembler)
            _ = Self.drain(&assembler)
        }
        #expect(assembler.isWaitingForKeyFrame)
    }

    @Test(
        "Random loss never gives a frame that was not sent, nor one that refers to a lost frame",
        arguments: 1...20 as ClosedRange<UInt64>)
    func randomLoss(seed: UInt64) {
        let (frames, packets) = Self.stream(frames: 200, keyFrameEvery: 15, seed: seed)
        var random = SeededGenerator(seed: seed &* 77)
        var assembler = FrameAssembler(maximumWait: .milliseconds(50))
        var damaged: Set<Int64> = []
        var out: [VideoFrame] = []
        for (index, packet) in packets.enumerated() {
            let now = MediaTime.milliseconds(Int64(index) * 5)
            if random.below(50) == 0 {
                damaged.insert(packet.timestamp / 3_000)
            } else {
                Self.insert(packet, into: &assembler, now: now)
            }
            assembler.handleTimeout(now: now)
            out += Self.drain(&assembler).frames
        }
        assembler.flush()
        out += Self.drain(&assembler).frames
        var expected: [Int64] = []
        var isIntact = false
        for index in 0..<200 as Range<Int64> {
            isIntact = !damaged.contains(index) && (isIntact || index % 15 == 0)
            if isIntact { expected.append(index) }
        }
        #expect(out.map { $0.timestamp / 3_000 } == expected)
        #expect(out.allSatisfy { $0.bytes == frames[Int($0.timestamp / 3_000)] })
    }
}
