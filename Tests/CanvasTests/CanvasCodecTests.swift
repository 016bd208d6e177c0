import Canvas
import Codecs
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@Suite struct CanvasCodecTests {
    private func frames(_ names: [(String, VideoCodec)], to canvas: StreamCanvas) throws -> [I420Frame] {
        var frames: [I420Frame] = []
        var sequence: Int64 = 0
        for (name, codec) in names {
            for packet in try CapturedPacket.all(of: name) {
                packet.payload.withUnsafeBytes { payload in
                    canvas.insert(
                        TapPacket(
                            kind: .video, sequence: sequence, timestamp: packet.timestamp, marker: packet.marker,
                            arrival: .seconds(1), captureNTP: nil, codec: codec, payload: payload))
                }
                sequence += 1
                while let output = canvas.nextOutput() {
                    if case .frame(let frame) = output { frames.append(frame) }
                }
            }
        }
        return frames
    }

    @Test(
        "Streams of every codec are decoded, with the size of the largest spatial layer",
        arguments: [
            ("chromium-156-vp9", VideoCodec.vp9, 4, 64, 48), ("ffmpeg-5.1-vp9", .vp9, 5, 66, 50),
            ("chromium-156-vp9-layers", .vp9, 3, 480, 272), ("chromium-156-h264", .h264, 4, 64, 48),
            ("ffmpeg-5.1-h264", .h264, 5, 66, 50), ("gstreamer-1.22-h264", .h264, 5, 66, 50),
            ("chromium-156-av1", .av1, 4, 64, 48), ("chromium-156-av1-layers", .av1, 4, 96, 64),
        ])
    func codecs(name: String, codec: VideoCodec, count: Int, width: Int, height: Int) throws {
        let canvas = try StreamCanvas()
        let frames = try frames([(name, codec)], to: canvas)
        #expect(frames.count == count && frames.allSatisfy { $0.width == width && $0.height == height })
        #expect(canvas.video.decodeErrors == 0 && canvas.video.decodedFrames == UInt64(count))
        #expect(!canvas.video.isUndecodable && canvas.video.unsupportedCodec == nil)
    }

    @Test("VP9 with more than 8 bits or without subsampling is refused")
    func profile() throws {
        let canvas = try StreamCanvas()
        // The capture is in profile 3.
        #expect(try frames([("gstreamer-1.22-vp9", .vp9)], to: canvas).isEmpty)
        #expect(canvas.video.decodeErrors == 5 && canvas.video.isUndecodable && canvas.video.unsupportedCodec == .vp9)
    }

    @Test("A stream that changes to a format that cannot be decoded is undecodable until it changes back")
    func laterProfile() throws {
        let canvas = try StreamCanvas()
        #expect(try frames([("chromium-156-vp9", .vp9), ("gstreamer-1.22-vp9", .vp9)], to: canvas).count == 4)
        #expect(canvas.video.isUndecodable && canvas.video.unsupportedCodec == .vp9)
        #expect(try frames([("ffmpeg-5.1-vp8", .vp8)], to: canvas).count == 4)
        #expect(!canvas.video.isUndecodable)
    }

    @Test("A canvas continues with another codec")
    func change() throws {
        let canvas = try StreamCanvas()
        let frames = try frames(
            [
                ("ffmpeg-5.1-vp8", .vp8), ("chromium-156-h264", .h264), ("ffmpeg-5.1-h264", .h264),
                ("chromium-156-av1-layers", .av1), ("ffmpeg-5.1-vp8", .vp8),
            ], to: canvas)
        let widths = [(32, 4), (64, 4), (66, 5), (96, 4), (32, 4)].flatMap { Array(repeating: $0, count: $1) }
        #expect(frames.map(\.width) == widths && canvas.video.decodeErrors == 0)
    }

    /// Returns a tap that holds the packets of captures in one codec.
    private func tap(_ names: String..., codec: VideoCodec) throws -> PacketTap {
        let packets = PacketTap(capacity: 1 << 20, codec: codec)
        for (sequence, packet) in try names.flatMap(CapturedPacket.all).enumerated() {
            packet.payload.withUnsafeBytes { payload in
                _ = packets.push(
                    TapPacket(
                        kind: .video, sequence: Int64(sequence), timestamp: packet.timestamp, marker: packet.marker,
                        arrival: .seconds(1), captureNTP: nil, codec: codec, payload: payload))
            }
        }
        packets.flush()
        return packets
    }

    /// Returns the body of raw frames of a tap.
    private func body(_ packets: PacketTap, beginLimit: MediaTime = .seconds(600)) throws -> CanvasBytes {
        let format = CanvasBytes.Format.y4m(rate: 30)
        var (options, queue) = CanvasTap.delivery(of: format)
        options.beginLimit = beginLimit
        return CanvasBytes(
            tap: try CanvasTap(packets: packets, options: options, consumer: queue), queue: queue, format: format)
    }

    private func still(_ packets: PacketTap) async throws(CanvasError) -> [UInt8] {
        try await CanvasTap.still(within: .seconds(600)) { (options, consumer) async throws(CanvasError) in
            try CanvasTap(packets: packets, options: options, consumer: consumer)
        }
    }

    @Test(
        "CAN-2: a still of H.264 and AV1 has the size of the frame",
        arguments: [("ffmpeg-5.1-h264", VideoCodec.h264, 66, 50), ("chromium-156-av1", .av1, 64, 48)])
    func still(name: String, codec: VideoCodec, width: UInt8, height: UInt8) async throws {
        let png = try await still(try tap(name, codec: codec))
        // Signature, and the chunk IHDR with width and height.
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        #expect(Array(png[16..<24]) == [0, 0, 0, width, 0, 0, 0, height])
    }

    @Test("CAN-2: a still of a format that cannot be decoded fails with the codec at the first key frame")
    func unsupportedStill() async throws {
        let packets = try tap("gstreamer-1.22-vp9", codec: .vp9)
        await #expect(throws: CanvasError.codecNotDecodable(.vp9)) { try await still(packets) }
    }

    @Test("CAN-2: raw frames of a format that cannot be decoded fail with the codec at the first key frame")
    func unsupportedBody() async throws {
        let body = try body(try tap("gstreamer-1.22-vp9", codec: .vp9))
        await #expect(throws: CanvasError.codecNotDecodable(.vp9)) { try await body.begun() }
        await body.tap.ended()
    }

    @Test("CAN-2: a body of raw frames ends when the stream changes to a format that cannot be decoded")
    func laterUnsupportedBody() async throws {
        let body = try body(try tap("chromium-156-vp9", "gstreamer-1.22-vp9", codec: .vp9))
        try await body.begun()
        var count = 0
        for try await bytes in body { count += bytes.count }
        #expect(count >= 64 * 48 * 3 / 2)
        #expect(body.tap.refusal == .codecNotDecodable(.vp9))
    }

    @Test("CAN-2: a body of a stream without frames, such as a muted one, begins after the limit and waits")
    func silentBody() async throws {
        let packets = PacketTap(capacity: 1 << 20, codec: .vp9)
        let body = try body(packets, beginLimit: .milliseconds(20))
        try await body.begun()
        #expect(!packets.isClosed && !body.tap.statistics.isEnded)
        body.tap.close()
        await body.tap.ended()
    }
}
