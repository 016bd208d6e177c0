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
                    if case .picture(let frame) = output { frames.append(frame) }
                }
            }
        }
        return frames
    }

    @Test(
        "VP9 streams are decoded, with the size of the largest spatial layer",
        arguments: [
            ("chromium-156-vp9", 4, 64, 48), ("ffmpeg-5.1-vp9", 5, 66, 50),
            ("chromium-156-vp9-layers", 3, 480, 272),
        ])
    func vp9(name: String, count: Int, width: Int, height: Int) throws {
        let canvas = try StreamCanvas()
        let frames = try frames([(name, .vp9)], to: canvas)
        #expect(frames.count == count && frames.allSatisfy { $0.width == width && $0.height == height })
        #expect(canvas.video.decodeErrors == 0 && canvas.video.decodedPictures == UInt64(count))
    }

    @Test("VP9 with more than 8 bits or without subsampling is refused")
    func profile() throws {
        let canvas = try StreamCanvas()
        // The capture is in profile 3.
        #expect(try frames([("gstreamer-1.22-vp9", .vp9)], to: canvas).isEmpty)
        #expect(canvas.video.decodeErrors == 5 && canvas.video.isUndecodable)
    }

    @Test("A canvas continues with another codec, and knows one that it cannot decode")
    func change() throws {
        let canvas = try StreamCanvas()
        let frames = try frames(
            [("ffmpeg-5.1-vp8", .vp8), ("chromium-156-vp9", .vp9), ("ffmpeg-5.1-vp8", .vp8)], to: canvas)
        #expect(frames.map(\.width) == [32, 32, 32, 32, 64, 64, 64, 64, 32, 32, 32, 32])
        let other = try StreamCanvas()
        #expect(try self.frames([("chromium-156-h264", .h264)], to: other).isEmpty && other.video.isUndecodable)
    }

    private final class Nothing: CanvasConsumer {
        func take(_ picture: I420Frame) -> Bool { true }
        func take(_ sound: PCMBlock) -> Bool { true }
        func finish() {}
    }

    @Test("Frames of H.264 and AV1 are refused at once, audio beside them is not", arguments: VideoCodec.allCases)
    func refused(codec: VideoCodec) throws {
        let packets = PacketTap(capacity: 1 << 16, codec: codec)
        if codec == .h264 || codec == .av1 {
            #expect(throws: CanvasError.codecNotDecodable(codec)) {
                try CanvasTap(packets: packets, consumer: Nothing())
            }
            #expect(packets.isClosed)
        } else {
            let tap = try CanvasTap(packets: packets, consumer: Nothing())
            #expect(!packets.isClosed)
            tap.close()
        }
        let audio = try CanvasTap(
            packets: PacketTap(capacity: 1 << 16, kinds: [.audio], codec: codec),
            options: CanvasOptions(kinds: [.audio]), consumer: Nothing())
        audio.close()
    }
}
