import Codecs
import MediaBase
import MillraceTestKit
import Testing

@Suite("H.264 by OpenH264 and AV1 by dav1d") struct VideoDecoderTests {
    struct Capture: Sendable, CustomTestStringConvertible {
        var name: String
        var codec: VideoCodec
        var width: Int
        var height: Int
        var keyFrames: [Bool]
        /// Digests of the frames that FFmpeg decodes (`-f framemd5`).
        var digests: [String]
        var testDescription: String { name }

        func frames() throws -> [[UInt8]] { try CapturedPacket.frames(of: name, codec) }
    }

    private static let captures = [
        Capture(
            name: "chromium-156-h264", codec: .h264, width: 64, height: 48, keyFrames: [true, false, true, false],
            digests: [
                "1d656cde2c1d073b664fc79d5e57876b", "eb1737eebd57f9ac15916eab095e4d4e",
                "aed0ab60db0c7d95df094b796d7302f6", "82d851a5d67dbcea6f2eb6483759c6ed",
            ]),
        Capture(
            name: "ffmpeg-5.1-h264", codec: .h264, width: 66, height: 50,
            keyFrames: [true, false, false, true, false],
            digests: [
                "55024fc21e8978a7a98ab34c755e78cc", "8c9946014b222649f4dc4b8d4a7f4098",
                "f4785bc0beeda2d5fe638479e6df54e1", "af4d4484beb6473aed2e04b8b1eb9d11",
                "22f4a0d0bb6990d52353a985323c5101",
            ]),
        Capture(
            name: "gstreamer-1.22-h264", codec: .h264, width: 66, height: 50,
            keyFrames: [true, false, false, true, false],
            digests: [
                "24c0ec7ff0b140b467715ec9e7f25920", "5291297c9b08fba10dceaf89a66f1b5b",
                "9e0eef54ebb607b73732730ac3227ff6", "bb9fd70ebf2836783166a3cdbaa8b48f",
                "7e87313c8a917d549116e89904d60211",
            ]),
        Capture(
            name: "chromium-156-av1", codec: .av1, width: 64, height: 48, keyFrames: [true, false, true, false],
            digests: [
                "b2c35f95fcb71b48326f664a59bf2f66", "25392384ea03449e5ec50ff0c3056ae9",
                "f1a38c3d01f6ddad533dc8ca2a8aa100", "0b76ee857e4dc39cf200a94c5f2046d3",
            ]),
        Capture(
            name: "chromium-156-av1-layers", codec: .av1, width: 96, height: 64,
            keyFrames: [true, false, true, false],
            digests: [
                "e5b2fa2b9def62bc7df75c245e3515c2", "af6b8f66e092cf0b62f7f62c897143f3",
                "aaf235cbde44a3373bbcd69726865b30", "e761abaf052a54af7fbf54aa3f1969ae",
            ]),
    ]

    /// Returns whether a frame is a key frame, and its size if it states one.
    private static func info(_ frame: [UInt8], _ codec: VideoCodec) throws -> (Bool, width: Int?, height: Int?) {
        if codec == .h264 {
            let info = try H264FrameInfo(frame)
            return (info.isKeyFrame, info.width, info.height)
        }
        let info = try AV1FrameInfo(frame)
        return (info.isKeyFrame, info.width, info.height)
    }

    @Test("Each frame is decoded at once, to that which FFmpeg decodes", arguments: captures, [1, 2])
    func frames(capture: Capture, threads: Int) throws {
        let decoder = try VideoDecoder(capture.codec, threads: threads)
        #expect(decoder.codec == capture.codec && decoder.needsKeyFrame)
        let decoded = try capture.frames().map { try #require(try decoder.decode($0)) }
        #expect(decoded.map { Fingerprint.md5($0.bytes) } == capture.digests)
        #expect(decoded.allSatisfy { $0.width == capture.width && $0.height == capture.height })
        #expect(!decoder.needsKeyFrame)
    }

    @Test("Headers tell key frames and their size", arguments: captures)
    func headers(capture: Capture) throws {
        let infos = try capture.frames().map { try Self.info($0, capture.codec) }
        #expect(infos.map(\.0) == capture.keyFrames)
        for info in infos where info.0 { #expect(info.width == capture.width && info.height == capture.height) }
    }

    @Test(
        "Predicted frames need a key frame, and large frames are refused before they are decoded", arguments: captures)
    func refused(capture: Capture) throws {
        let frames = try capture.frames()
        let decoder = try VideoDecoder(capture.codec)
        #expect(throws: CodecError.missingKeyFrame) { try decoder.decode(frames[1]) }
        #expect(try decoder.decode(frames[0]) != nil)
        #expect(throws: CodecError.self) { try decoder.decode(Array(frames[1].prefix(3))) }
        #expect(throws: CodecError.missingKeyFrame) { try decoder.decode(frames[1]) }
        #expect(try decoder.decode(frames[0]) != nil && decoder.decode(frames[1]) != nil)
        let small = try VideoDecoder(capture.codec, maximumPixels: capture.width * capture.height - 1)
        #expect(throws: CodecError.frameTooLarge(width: capture.width, height: capture.height)) {
            try small.decode(frames[0])
        }
        #expect(throws: CodecError.self) { try decoder.decode([]) }
    }

    @Test("Slices of two H.264 frames, and parameter sets behind a slice, are refused")
    func accessUnits() throws {
        let frames = try Self.captures[1].frames()
        for damaged: [UInt8] in [
            frames[0] + frames[1], frames[0] + frames[0], [0, 0, 1, 9, 0xf0], [0, 0, 1, 0x67, 0x64],
        ] {
            #expect(throws: CodecError.self) { try H264FrameInfo(damaged) }
        }
        // SEI and unknown NAL units are left out.
        let decoder = try H264Decoder()
        let decoded = try (frames[0] + [0, 0, 1, 20, 0x80, 1, 2]).withUnsafeBytes { bytes in
            try decoder.withDecodedPlanes(bytes) { Fingerprint.md5($0.frame().bytes) }
        }
        #expect(decoded == Self.captures[1].digests[0])
    }

    private static let formats: [(VideoCodec, [String])] = [
        (.h264, ["-c:v", "libx264", "-pix_fmt", "gray", "-f", "h264"]),
        (.h264, ["-c:v", "libx264", "-pix_fmt", "yuv444p", "-f", "h264"]),
        (.h264, ["-c:v", "libx264", "-pix_fmt", "yuv420p10le", "-f", "h264"]),
        (.av1, ["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "gray", "-f", "obu"]),
        (.av1, ["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "yuv444p", "-f", "obu"]),
        (.av1, ["-c:v", "libaom-av1", "-cpu-used", "8", "-pix_fmt", "yuv420p10le", "-f", "obu"]),
    ]

    @Test(
        "Formats other than 4:2:0 with 8 bits are refused by name",
        .enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: formats)
    func unsupported(codec: VideoCodec, arguments: [String]) throws {
        let encoded = try MediaTool.ffmpeg.run(
            ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1"] + arguments + ["-"])
        #expect(encoded.status == 0, "\(encoded.errors)")
        let decoder = try VideoDecoder(codec)
        #expect(throws: CodecError.unsupportedFormat(codec, reason: "it is not 4:2:0 with 8 bits")) {
            try decoder.decode(encoded.bytes)
        }
        #expect(decoder.needsKeyFrame)
    }

    @Test("20,000 damaged frames do not trap, and the decoder recovers", arguments: [captures[0], captures[4]])
    func mutations(capture: Capture) throws {
        let frames = try capture.frames()
        let decoder = try VideoDecoder(capture.codec, maximumPixels: 1 << 16)
        var (errors, decoded, round) = (0, 0, 0)
        // Small frames, so that most of the time is spent in the decoders.
        MutationFuzzer(corpus: frames.filter { $0.count < 512 }, seed: 9).run(count: 20_000) { bytes in
            round += 1
            if round % 8 == 0 { _ = try? decoder.decode(frames[0]) }
            do {
                if try decoder.decode(bytes) != nil { decoded += 1 }
            } catch { errors += 1 }
        }
        #expect(errors > 1_000 && decoded > 20)
        let last = try decoder.decode(frames[0]).map { Fingerprint.md5($0.bytes) }
        #expect(last == capture.digests[0])
    }
}
