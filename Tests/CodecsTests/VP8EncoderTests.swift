import Codecs
import MediaBase
import MillraceTestKit
import Testing

@Suite struct VP8EncoderTests {
    /// Encodes `count` frames at 30 a second; `each` may change the encoder before a frame.
    func encode(
        _ configuration: VP8EncoderConfiguration, count: Int, each: (Int, VP8Encoder) throws -> Void = { _, _ in }
    ) throws -> [EncodedVideoFrame] {
        let source = MovingImage(width: configuration.width, height: configuration.height)
        let encoder = try VP8Encoder(configuration)
        return try (0..<count).compactMap { number in
            try each(number, encoder)
            return try encoder.encode(source.frame(number), timestamp: Int64(number) * 3000)
        }
    }

    @Test("A moving image is decoded with more than 35 dB", arguments: [1, 2], [1, 3])
    func quality(threads: Int, layers: Int) throws {
        let encoded = try encode(
            .init(width: 320, height: 240, bitrate: .kilobits(600), threads: threads, temporalLayers: layers), count: 60
        )
        #expect(encoded.count == 60)
        let decoder = try VPXDecoder()
        let source = MovingImage(width: 320, height: 240)
        for (number, frame) in encoded.enumerated() {
            let decoded = try #require(try decoder.decode(frame.bytes))
            #expect(FrameDistance.psnr(decoded, source.frame(number)) > 35)
        }
    }

    @Test("Odd frame sizes keep every row and column", arguments: [(1, 1), (17, 33), (175, 143), (15, 48)])
    func oddSizes(width: Int, height: Int) throws {
        let encoded = try encode(.init(width: width, height: height, bitrate: .kilobits(500)), count: 5)
        let decoder = try VPXDecoder()
        for (number, frame) in encoded.enumerated() {
            let decoded = try #require(try decoder.decode(frame.bytes))
            #expect(decoded.width == width && decoded.height == height)
            let source = MovingImage(width: width, height: height).frame(number)
            #expect(FrameDistance.psnr(decoded, source) > 30)
        }
    }

    @Test("The first frame is a key frame, then those that were requested, and those that are due")
    func keyFrames() throws {
        let onRequest = try encode(.init(width: 64, height: 64, bitrate: .kilobits(200)), count: 40) {
            number, encoder in
            if number == 17 || number == 18 { encoder.requestKeyFrame() }
        }
        #expect(onRequest.indices.filter { onRequest[$0].isKeyFrame } == [0, 17, 18])
        let byInterval = try encode(
            .init(width: 64, height: 64, bitrate: .kilobits(200), keyFrameInterval: 15), count: 40)
        #expect(byInterval.indices.filter { byInterval[$0].isKeyFrame } == [0, 15, 30])
        for frame in onRequest {
            let info = try VP8FrameInfo(frame.bytes)
            #expect(info.isKeyFrame == frame.isKeyFrame && info.isShown)
            #expect(info.width == (frame.isKeyFrame ? 64 : nil))
        }
    }

    @Test("The bit rate is met within a fifth", arguments: [1, 2, 3], [60, 200])
    func bitrate(layers: Int, kilobits: Int64) throws {
        let encoded = try encode(
            .init(width: 160, height: 120, bitrate: .kilobits(kilobits), temporalLayers: layers, quantizers: 0...63),
            count: 300)
        let rate = Double(encoded.reduce(0) { $0 + $1.bytes.count } * 8) / 10
        #expect(abs(rate / Double(kilobits * 1000) - 1) < 0.2, "\(rate) bit/s")
    }

    @Test("A new bit rate is met within a fifth during encoding")
    func bitrateChange() throws {
        let encoded = try encode(
            .init(width: 160, height: 120, bitrate: .kilobits(200), quantizers: 0...63), count: 480
        ) { number, encoder in
            if number == 240 { try encoder.setBitrate(.kilobits(60)) }
        }
        let rate = Double(encoded[300...].reduce(0) { $0 + $1.bytes.count } * 8) / 6
        #expect(abs(rate / 60_000 - 1) < 0.2, "\(rate) bit/s")
        #expect(encoded.filter(\.isKeyFrame).count == 1)
    }

    @Test("Layers follow the pattern, which a key frame restarts")
    func pattern() throws {
        func layers(_ count: Int) throws -> [EncodedVideoFrame] {
            try encode(
                .init(width: 64, height: 64, bitrate: .kilobits(200), temporalLayers: count), count: 12
            ) { number, encoder in
                if number == 6 { encoder.requestKeyFrame() }
            }
        }
        #expect(try layers(1).map(\.temporalLayer) == Array(repeating: 0, count: 12))
        #expect(try layers(2).map(\.temporalLayer) == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
        let three = try layers(3)
        #expect(three.map(\.temporalLayer) == [0, 2, 1, 2, 0, 2, 0, 2, 1, 2, 0, 2])
        #expect(three.map(\.isReference) == three.map { $0.temporalLayer < 2 })
        #expect(three.prefix(6).map(\.isLayerSync) == [true, true, true, false, false, true])
    }

    @Test("The stream without its upper layers decodes, with the exact result", arguments: [(2, 0), (3, 0), (3, 1)])
    func droppableLayers(layers: Int, kept: Int) throws {
        let encoded = try encode(
            .init(width: 320, height: 240, bitrate: .kilobits(600), temporalLayers: layers), count: 60)
        let (all, few) = (try VPXDecoder(), try VPXDecoder())
        var keptFrames = 0
        for frame in encoded {
            let whole = try #require(try all.decode(frame.bytes))
            guard frame.temporalLayer <= kept else { continue }
            let reduced = try #require(try few.decode(frame.bytes))
            #expect(whole.bytes == reduced.bytes)
            keptFrames += 1
        }
        #expect(keptFrames == 60 >> (layers - 1 - kept))
    }

    @Test("A non-reference frame can be dropped alone")
    func droppableFrames() throws {
        let encoded = try encode(.init(width: 64, height: 64, bitrate: .kilobits(200), temporalLayers: 3), count: 40)
        let (all, few) = (try VPXDecoder(), try VPXDecoder())
        for (number, frame) in encoded.enumerated() {
            let whole = try #require(try all.decode(frame.bytes))
            if !frame.isReference && number % 3 != 0 { continue }
            #expect(try few.decode(frame.bytes)?.bytes == whole.bytes)
        }
    }

    @Test("A frame that rate control drops does not break the layers")
    func leftOutFrames() throws {
        let configuration = VP8EncoderConfiguration(
            width: 320, height: 240, bitrate: .kilobits(30), temporalLayers: 3, mayDropFrames: true, quantizers: 2...20)
        let encoded = try encode(configuration, count: 120)
        #expect(encoded.count < 120)
        let decoder = try VPXDecoder()
        for frame in encoded where frame.temporalLayer == 0 { #expect(try decoder.decode(frame.bytes) != nil) }
    }

    @Test("Invalid arguments are refused by name")
    func arguments() throws {
        #expect(throws: CodecError.self) { try VP8Encoder(.init(width: 0, height: 5, bitrate: .kilobits(100))) }
        #expect(throws: CodecError.self) { try VP8Encoder(.init(width: 16384, height: 5, bitrate: .kilobits(100))) }
        #expect(throws: CodecError.self) {
            try VP8Encoder(.init(width: 16, height: 16, bitrate: .kilobits(100), temporalLayers: 4))
        }
        let encoder = try VP8Encoder(.init(width: 16, height: 16, bitrate: .kilobits(100)))
        #expect(throws: CodecError.self) { try encoder.encode(I420Frame(width: 32, height: 16), timestamp: 0) }
        _ = try encoder.encode(I420Frame(width: 16, height: 16), timestamp: 9000)
        #expect(throws: CodecError.invalidArgument("timestamp", reason: "9000 is not above 9000")) {
            try encoder.encode(I420Frame(width: 16, height: 16), timestamp: 9000)
        }
    }
}
