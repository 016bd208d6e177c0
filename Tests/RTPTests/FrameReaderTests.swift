import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Facts of video packets of every codec")
struct FrameReaderTests {
    static func read(_ reader: inout FrameReader, _ payload: [UInt8], timestamp: Int64) throws -> FrameFacts {
        try payload.withUnsafeBytes { try reader.read($0, timestamp: timestamp) }
    }

    static func facts(_ packets: [RecordedVideo.Packet], _ codec: VideoCodec) throws -> [FrameFacts] {
        var reader = FrameReader(codec)
        return try packets.map { try read(&reader, $0.payload, timestamp: $0.timestamp) }
    }

    @Test("Frame starts, key frames and sizes of recorded streams", arguments: RecordedVideo.samples)
    func recorded(sample: RecordedVideo.Sample) throws {
        let video = try RecordedVideo(sample.name)
        let facts = try Self.facts(video.packets, sample.codec)
        #expect(!video.frames.isEmpty && video.frames[0].isKeyFrame)
        for (index, frame) in video.frames.enumerated() {
            let own = zip(video.packets, facts).filter { $0.0.timestamp == frame.timestamp }.map(\.1)
            #expect(own.map(\.isFrameStart) == [true] + Array(repeating: false, count: own.count - 1))
            let keys = own.filter(\.isKeyFrameStart)
            #expect(keys.count == (frame.isKeyFrame ? 1 : 0) && own[0].isKeyFrameStart == frame.isKeyFrame)
            for key in keys { #expect(key.width == sample.width && key.height == sample.height) }
            let layer = sample.temporalLayers.isEmpty ? 0 : sample.temporalLayers[index]
            #expect(own.allSatisfy { $0.fields.layer == layer })
            #expect(Set(own.map(\.spatialLayer)) == Set(0..<UInt8(sample.spatialLayers)))
        }
    }

    @Test("Patched fields of VP9 are at their offsets and count frames", arguments: RecordedVideo.samples)
    func fields(sample: RecordedVideo.Sample) throws {
        let video = try RecordedVideo(sample.name)
        var last: RewriteFields?
        var timestamp: Int64 = -1
        for (packet, facts) in zip(video.packets, try Self.facts(video.packets, sample.codec)) {
            let fields = facts.fields
            guard sample.codec == .vp9, sample.name != "ffmpeg-5.1-vp9" else {
                #expect(fields.pictureIDOffset == 0 && fields.tl0Offset == 0)
                continue
            }
            let offset = Int(fields.pictureIDOffset)
            #expect(offset == 1 && fields.pictureIDIsWide)
            #expect(
                UInt16(packet.payload[offset]) << 8 | UInt16(packet.payload[offset + 1]) == fields.pictureID | 0x8000)
            if fields.tl0Offset > 0 { #expect(packet.payload[Int(fields.tl0Offset)] == fields.tl0PictureIndex) }
            if let last {
                let step: UInt16 = packet.timestamp == timestamp ? 0 : 1
                #expect(fields.pictureID == (last.pictureID + step) & 0x7fff)
            }
            last = fields
            timestamp = packet.timestamp
        }
    }

    @Test(
        "Reordered and repeated packets give each frame one start, and key frames one key frame start",
        arguments: 1...20)
    func reordering(seed: Int) throws {
        for sample in RecordedVideo.samples where sample.spatialLayers == 1 {
            let video = try RecordedVideo(sample.name)
            var random = SeededGenerator(seed: UInt64(seed))
            var packets = video.packets
            for index in stride(from: 0, to: packets.count - 3, by: 3) {
                packets.swapAt(index, index + random.below(3))
                if random.below(3) == 0 { packets.insert(packets[index], at: index + 1) }
            }
            let facts = try Self.facts(packets, sample.codec)
            for frame in video.frames {
                let own = zip(packets, facts).filter { $0.0.timestamp == frame.timestamp }
                let original = video.packets.filter { $0.timestamp == frame.timestamp }
                // VP9 marks the starts, so that a repeated packet is marked too. The media engine drops repeated packets.
                let starts = Set(own.filter(\.1.isFrameStart).map(\.0))
                let keys = Set(own.filter(\.1.isKeyFrameStart).map(\.0))
                #expect(starts.count == 1, "\(sample.name)")
                #expect(keys.count == (frame.isKeyFrame ? 1 : 0), "\(sample.name)")
                // A slice of H.264 that overtakes its parameter sets is taken for the key frame start.
                if sample.codec != .h264 { #expect(keys.isSubset(of: [original[0]]), "\(sample.name)") }
            }
        }
    }

    @Test("Key frames without parameter sets start at the first slice") func sliceOnly() throws {
        var reader = FrameReader(.h264)
        // A delimiter, then a key frame of two slices and a slice of another frame.
        let delimiter = try Self.read(&reader, [0x09, 0x10], timestamp: 10)
        #expect(delimiter.isFrameStart && !delimiter.isKeyFrameStart)
        let slice = try Self.read(&reader, [0x65, 0x88, 1], timestamp: 10)
        #expect(!slice.isFrameStart && slice.isKeyFrameStart)
        let second = try Self.read(&reader, [0x65, 0x44, 1], timestamp: 10)
        #expect(!second.isFrameStart && !second.isKeyFrameStart)
        let next = try Self.read(&reader, [0x41, 0x9a, 1], timestamp: 20)
        #expect(next.isFrameStart && !next.isKeyFrameStart)
        // A fragmented slice: only the start is a key frame start.
        let start = try Self.read(&reader, [0x7c, 0x85, 0x88, 1], timestamp: 30)
        #expect(start.isFrameStart && start.isKeyFrameStart)
        for rest in [[0x7c, 0x05, 0x88, 1], [0x7c, 0x45, 0x88, 1]] as [[UInt8]] {
            let facts = try Self.read(&reader, rest, timestamp: 30)
            #expect(!facts.isFrameStart && !facts.isKeyFrameStart)
        }
    }

    @Test("A parameter set and a slice of one key frame in two packets give one key frame start") func onlyOne() throws
    {
        var reader = FrameReader(.h264)
        let set = TestVector.bytes(hexadecimal: "6742c00bda0b13b011000003000100000300320f142aa0")
        let first = try Self.read(&reader, set, timestamp: 10)
        #expect(first.isKeyFrameStart && first.width == 176 && first.height == 144)
        #expect(try !Self.read(&reader, [0x68, 0xce], timestamp: 10).isKeyFrameStart)
        #expect(try !Self.read(&reader, [0x65, 0x88], timestamp: 10).isKeyFrameStart)
        // In one aggregate with another parameter set before it.
        let aggregate: [UInt8] = [0x78, 0, 2, 0x68, 0xce, 0, UInt8(set.count)] + set + [0, 2, 0x65, 0x88]
        let facts = try Self.read(&reader, aggregate, timestamp: 20)
        #expect(facts.isFrameStart && facts.isKeyFrameStart && facts.width == 176 && facts.height == 144)
    }

    @Test("A sequence parameter set that cannot be read still starts a key frame, without a size") func damagedSet()
        throws
    {
        var reader = FrameReader(.h264)
        let facts = try Self.read(&reader, [0x67, 0x42, 0xc0], timestamp: 10)
        #expect(facts.isFrameStart && facts.isKeyFrameStart && facts.width == 0 && facts.height == 0)
    }

    @Test("Frames whose timestamps go back start with their first slice; late packets start nothing")
    func olderTimestamps() throws {
        var reader = FrameReader(.h264)
        // Timestamps of I, P, B, B in the order of decoding.
        for timestamp in [1, 4, 2, 3] as [Int64] {
            #expect(try Self.read(&reader, [0x41, 0x9a, 1], timestamp: timestamp).isFrameStart)
            #expect(try !Self.read(&reader, [0x41, 0x44, 1], timestamp: timestamp).isFrameStart)
        }
        for timestamp in 10..<30 as Range<Int64> { _ = try Self.read(&reader, [0x41, 0x9a, 1], timestamp: timestamp) }
        // Frame 5 was forgotten, if it was ever seen: a packet from its middle starts nothing.
        #expect(try !Self.read(&reader, [0x06, 5, 1], timestamp: 5).isFrameStart)
        #expect(try !Self.read(&reader, [0x41, 0x44, 1], timestamp: 5).isFrameStart)
        #expect(try Self.read(&reader, [0x41, 0x9a, 1], timestamp: 30).isFrameStart)
    }

    @Test("A publisher whose timestamps jump back has frame starts again after a few frames") func jumpBack() throws {
        var reader = FrameReader(.av1)
        for timestamp in 0..<100 as Range<Int64> {
            #expect(try Self.read(&reader, [0x10, 0x20, 1], timestamp: 1 << 40 + timestamp).isFrameStart)
        }
        let starts = try (0..<20 as Range<Int64>).map {
            try Self.read(&reader, [0x10, 0x20, 1], timestamp: $0).isFrameStart
        }
        #expect(starts.suffix(11).allSatisfy { $0 })
        #expect(try Self.read(&reader, [0x18, 0x08, 1], timestamp: 0).isKeyFrameStart)
    }

    @Test("VP9 of a sender that never sets the P bit: the frame header tells key frames") func noPBit() throws {
        var reader = FrameReader(.vp9)
        let key = TestVector.bytes(hexadecimal: "088249834200041003160638241c18")
        let first = try Self.read(&reader, key, timestamp: 1)
        #expect(first.isKeyFrameStart && first.width == 66 && first.height == 50)
        #expect(try !Self.read(&reader, [0x0c, 0x86, 0, 0x40, 0x92], timestamp: 2).isKeyFrameStart)
        #expect(try !Self.read(&reader, [0x04, 0x86, 0, 0x40, 0x92], timestamp: 2).isFrameStart)
        // Encrypted end to end: no header that can be read.
        #expect(try Self.read(&reader, [0x0c, 0x12, 0, 0x40, 0x92], timestamp: 3).isKeyFrameStart)
        // From the first P bit on, the bit counts.
        #expect(try !Self.read(&reader, [0x4c, 0x86, 0, 0x40, 0x92], timestamp: 4).isKeyFrameStart)
        #expect(try Self.read(&reader, [0x0c, 0x86, 0, 0x40, 0x92], timestamp: 5).isKeyFrameStart)
    }

    @Test("Higher temporal layers of VP9 than forwarding distinguishes count as the third") func highLayer() throws {
        var reader = FrameReader(.vp9)
        let facts = try Self.read(&reader, [0xec, 0x01, 0xf0, 0x05, 0x86], timestamp: 1)
        #expect(facts.fields.layer == 3 && facts.isLayerSync && facts.fields.tl0PictureIndex == 5)
    }
}
