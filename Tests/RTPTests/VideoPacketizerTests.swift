import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Payloads of every codec from frames") struct VideoPacketizerTests {
    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        // Neither start codes nor zeros at the end.
        return (0..<count).map { _ in UInt8(random.next() % 255) + 1 }
    }

    /// Returns the NAL units of an access unit. Zeros after a unit, which Chromium sends, are none of its bytes (ITU-T H.264 Annex B).
    private static func units(_ frame: [UInt8]) -> [[UInt8]] {
        H264AccessUnit(frame).units.map { Array(frame[$0.range]) }
    }

    /// Returns the payloads' bytes, put together again.
    private static func frame(_ payloads: [[UInt8]], _ codec: VideoCodec) throws -> [UInt8] {
        try FrameDepacketizerTests.frame(payloads, codec)
    }

    @Test("Recorded frames come back unchanged from payloads of any size", arguments: RecordedVideo.samples)
    func recorded(sample: RecordedVideo.Sample) throws {
        // The packetizer of VP9 makes one spatial layer.
        guard sample.spatialLayers == 1 else { return }
        let video = try RecordedVideo(sample.name)
        for length in [60, 200, 1_150, 1_200, 16_383] {
            var packetizer = VideoPacketizer(sample.codec, maximumPayloadLength: length)
            var reader = FrameReader(sample.codec)
            for frame in video.frames {
                let packets = video.packets.filter { $0.timestamp == frame.timestamp }.map(\.payload)
                let bytes = try Self.frame(packets, sample.codec)
                let payloads = try packetizer.payloads(of: bytes)
                #expect(payloads.allSatisfy { !$0.isEmpty && $0.count <= length })
                let again = try Self.frame(payloads, sample.codec)
                #expect(sample.codec == .h264 ? Self.units(again) == Self.units(bytes) : again == bytes)
                for (index, payload) in payloads.enumerated() {
                    let facts = try payload.withUnsafeBytes { try reader.read($0, timestamp: frame.timestamp) }
                    #expect(facts.isFrameStart == (index == 0), "\(index)")
                    if index > 0 { #expect(!facts.isKeyFrameStart) }
                }
            }
        }
    }

    @Test("VP9 payloads have PictureIDs of 15 bits that wrap, and a key frame states its size")
    func vp9() throws {
        var packetizer = VP9Packetizer(maximumPayloadLength: 100, firstPictureID: 0x7fff)
        // A key frame of profile 0 with 320 x 180 pixels, then a predicted one.
        let key = [0x82, 0x49, 0x83, 0x42, 0x00, 0x13, 0xf0, 0x0b, 0x30] + Self.bytes(500, seed: 1)
        let predicted = [0x86] + Self.bytes(300, seed: 2)
        for (frame, id, isKeyFrame) in [(key, 0x7fff, true), (predicted, 0, false)] as [([UInt8], UInt16, Bool)] {
            let payloads = packetizer.payloads(of: frame)
            #expect(payloads.count > 2 && payloads.allSatisfy { $0.count <= 100 })
            for (index, payload) in payloads.enumerated() {
                let descriptor = try payload.withUnsafeBytes { try VP9PayloadDescriptor(parsing: $0) }
                #expect(descriptor.pictureID == id && descriptor.pictureIDWidth == 2)
                #expect(descriptor.isInterPredicted != isKeyFrame)
                #expect(descriptor.startsLayerFrame == (index == 0))
                #expect(descriptor.endsLayerFrame == (index == payloads.count - 1))
                let size: (UInt16, UInt16) = isKeyFrame && index == 0 ? (320, 180) : (0, 0)
                #expect((descriptor.width, descriptor.height) == size)
            }
            #expect(try Self.frame(payloads, .vp9) == frame)
        }
        #expect(packetizer.payloads(of: []).isEmpty)
    }

    @Test("H.264 aggregates parameter sets, and fragments a large NAL unit into equal parts")
    func h264() throws {
        let packetizer = H264Packetizer(maximumPayloadLength: 100)
        let units: [[UInt8]] = [
            [0x67] + Self.bytes(10, seed: 1), [0x68] + Self.bytes(4, seed: 2), [0x65] + Self.bytes(300, seed: 3),
            [0x41] + Self.bytes(99, seed: 4), [0x41] + Self.bytes(99, seed: 5),
        ]
        let payloads = packetizer.payloads(of: units.flatMap { [0, 0, 0, 1] + $0 })
        #expect(payloads.map { $0[0] & 0x1f } == [24, 28, 28, 28, 28, 1, 1])
        #expect(payloads[0][0] == 0x78, "the highest importance of the aggregated units")
        #expect(payloads.allSatisfy { $0.count <= 100 })
        #expect(Set(payloads[1...3].map(\.count)).count == 1)
        #expect(try Self.frame(payloads, .h264) == units.flatMap { [0, 0, 0, 1] + $0 })
        for empty in [[], [0, 0, 0, 1], [1, 2, 3]] as [[UInt8]] { #expect(packetizer.payloads(of: empty).isEmpty) }
    }

    @Test("AV1 payloads leave out delimiters and sizes; the first one of a sequence header's unit starts a sequence")
    func av1() throws {
        let packetizer = AV1Packetizer(maximumPayloadLength: 50)
        func unit(_ type: UInt8, _ count: Int) -> [UInt8] {
            [type << 3 | 0x02] + [UInt8(count & 0x7f) | (count > 127 ? 0x80 : 0)]
                + (count > 127 ? [UInt8(count >> 7)] : [])
                + Self.bytes(count, seed: UInt64(count))
        }
        let content = unit(1, 12) + unit(5, 3) + unit(5, 2) + unit(5, 1) + unit(6, 200) + unit(6, 30)
        let payloads = try packetizer.payloads(of: [0x12, 0] + content)
        #expect(payloads.allSatisfy { $0.count <= 50 })
        let headers = try payloads.map { try $0.withUnsafeBytes { try AV1AggregationHeader(parsing: $0) } }
        #expect(headers.map(\.startsSequence) == [true] + Array(repeating: false, count: payloads.count - 1))
        #expect(headers[0].elementCount == 0, "more than three elements")
        for (header, next) in zip(headers, headers.dropFirst()) { #expect(header.isContinued == next.continuesElement) }
        #expect(try Self.frame(payloads, .av1) == content)
        #expect(try packetizer.payloads(of: unit(6, 10)).map { $0[0] } == [0x10])
        #expect(try packetizer.payloads(of: []).isEmpty)
    }

    @Test(
        "A damaged temporal unit is an error",
        arguments: [[0x30, 1], [0x32], [0x32, 5, 1], [0xb2, 0], [0x32, 0x80]])
    func damaged(bytes: [UInt8]) {
        #expect(throws: RTPError.self) { try AV1Packetizer().payloads(of: bytes) }
    }

    @Test("No frame traps a packetizer", arguments: VideoCodec.allCases) func anyBytes(codec: VideoCodec) throws {
        var random = SeededGenerator(seed: 77)
        for round in 0..<3_000 {
            var packetizer = VideoPacketizer(codec, maximumPayloadLength: 9 + Int(random.next() % 300))
            var frame = (0..<Int(random.next() % 600)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if round % 2 == 0 { frame = [0, 0, 1] + frame }
            _ = try? packetizer.payloads(of: frame)
        }
    }
}
