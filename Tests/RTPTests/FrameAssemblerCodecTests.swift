import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Frames of H.264, VP9 and AV1 from packets that are late, twice or lost")
struct FrameAssemblerCodecTests {
    private static func insert(_ packet: CapturedPacket, into assembler: inout FrameAssembler) {
        packet.payload.withUnsafeBytes {
            assembler.insert(
                sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker, payload: $0, now: .zero)
        }
    }

    private static func frames(_ assembler: inout FrameAssembler) -> [VideoFrame] {
        var frames: [VideoFrame] = []
        while let event = assembler.nextEvent() { if case .frame(let frame) = event { frames.append(frame) } }
        return frames
    }

    /// Several spatial layers have an index behind them, which the recordings do not have.
    private static func digest(_ frame: VideoFrame, _ sample: RecordedVideo.Sample) -> String {
        let length = sample.spatialLayers > 1 ? FrameDepacketizerTests.indexLength(frame.bytes) : 0
        return Fingerprint.md5(Array(frame.bytes.dropLast(length)))
    }

    @Test(
        "Frames are those that other depacketizers read, also of packets out of order", arguments: RecordedVideo.samples
    )
    func everyFrame(sample: RecordedVideo.Sample) throws {
        let expected = try RecordedVideo(sample.name).frames
        let packets = try CapturedPacket.all(of: sample.name)
        var reordered = packets
        for index in stride(from: 1, to: packets.count - 1, by: 2) { reordered.swapAt(index, index + 1) }
        for order in [packets, reordered, packets + packets] {
            var assembler = FrameAssembler(sample.codec)
            for packet in order { Self.insert(packet, into: &assembler) }
            assembler.flush()
            let frames = Self.frames(&assembler)
            #expect(frames.map { Self.digest($0, sample) } == expected.map(\.digest))
            #expect(frames.map(\.isKeyFrame) == expected.map(\.isKeyFrame))
            #expect(frames.map(\.timestamp) == expected.map(\.timestamp))
            #expect(frames.allSatisfy { $0.codec == sample.codec })
            #expect(frames[0].width == Int(sample.width) && frames[0].height == Int(sample.height))
            #expect(assembler.malformedFrames == 0 && assembler.droppedFrames == 0)
        }
    }

    @Test("After a loss only key frames and frames after them come out", arguments: RecordedVideo.samples)
    func losses(sample: RecordedVideo.Sample) throws {
        let expected = try RecordedVideo(sample.name).frames
        let packets = try CapturedPacket.all(of: sample.name)
        for lost in packets.indices.dropFirst().dropLast() {
            var assembler = FrameAssembler(sample.codec)
            for index in packets.indices where index != lost { Self.insert(packets[index], into: &assembler) }
            assembler.flush()
            let frames = Self.frames(&assembler)
            let damaged = try #require(expected.firstIndex { $0.timestamp == packets[lost].timestamp })
            let next = expected[(damaged + 1)...].firstIndex(where: \.isKeyFrame) ?? expected.count
            // VP9 tells by its PictureID that a frame is whole if the lost packet is the last of the frame before.
            let whole = Set((expected[..<damaged] + expected[next...]).map(\.digest))
            #expect(frames.allSatisfy { whole.contains(Self.digest($0, sample)) }, "without packet \(lost)")
            #expect(frames.count == whole.count, "without packet \(lost)")
        }
    }

    @Test("Damaged packets never give a frame beyond the limit, or frames out of order", arguments: VideoCodec.allCases)
    func damaged(codec: VideoCodec) throws {
        let corpus = try codec == .vp8 ? [[0x10, 0x00, 1, 2, 3]] : RecordedVideo.payloads(codec)
        var random = SeededGenerator(seed: 11)
        var assembler = FrameAssembler(codec, packetCapacity: 32, byteCapacity: 3_000)
        var now: Int64 = 0
        var last = Int64.min
        var frames = 0
        var isBounded = true
        MutationFuzzer(corpus: corpus, seed: 12).run(count: 30_000) { payload in
            now += 1
            assembler.insert(
                sequence: now - Int64(random.below(4)), timestamp: now / 2, marker: now % 2 == 1, payload: payload,
                now: .milliseconds(now))
            assembler.handleTimeout(now: .milliseconds(now))
            for frame in Self.frames(&assembler) {
                frames += 1
                isBounded = isBounded && frame.bytes.count <= 3_000 && frame.sequences.lowerBound > last
                last = frame.sequences.upperBound
            }
        }
        #expect(isBounded && frames > 100)
    }
}
