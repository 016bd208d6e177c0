import MediaBase
import MillraceTestKit
import Testing

@testable import Codecs

@Suite("VP9 by libvpx") struct VP9DecoderTests {
    /// Frames of an IVF file that FFmpeg 5.1 wrote: 34x18, key frames 0 and 3.
    private static func frames() throws -> [[UInt8]] {
        let file = try TestVector.bytes("vp9/ffmpeg-5.1.hex")
        var frames: [[UInt8]] = []
        var at = 32
        while at + 12 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) }
            frames.append(Array(file[(at + 12)..<(at + 12 + size)]))
            at += 12 + size
        }
        return frames
    }

    /// Digests of the frames that FFmpeg decodes (`-f framemd5`).
    private static let digests = [
        "fdc157ab39b2dfe021a7a16422f96862", "0d5e8316413bd242ef083b78baabf71f", "1afe77be4282adad98e67dee099b3ef7",
        "77cba087f9d608613c859c769b148d40",
    ]

    @Test("Frames are those that FFmpeg decodes", arguments: [1, 2]) func frames(threads: Int) throws {
        let decoder = try VPXDecoder(.vp9, threads: threads)
        #expect(decoder.codec == .vp9 && decoder.needsKeyFrame)
        let decoded = try Self.frames().map { try #require(try decoder.decode($0)) }
        #expect(decoded.map { Fingerprint.md5($0.bytes) } == Self.digests)
        #expect(decoded.allSatisfy { $0.width == 34 && $0.height == 18 })
    }

    @Test("A header tells key frames and their size") func headers() throws {
        let infos = try Self.frames().map { try VP9FrameInfo($0) }
        #expect(infos.map(\.isKeyFrame) == [true, false, false, true])
        #expect(infos.map(\.width) == [34, nil, nil, 34] && infos.map(\.height) == [18, nil, nil, 18])
        #expect(infos.allSatisfy { $0.profile == 0 && $0.isShown })
        for damaged: [UInt8] in [[], [0x82], [0x00, 0, 0, 0], [0x82, 0x49, 0x83, 0x43, 0, 0, 0, 0, 0, 0]] {
            #expect(throws: CodecError.self) { try VP9FrameInfo(damaged) }
        }
    }

    @Test("A superframe has the properties of all its frames") func superframe() throws {
        let frames = try Self.frames()
        let sizes = frames[..<2].flatMap { [UInt8($0.count & 0xff), UInt8($0.count >> 8)] }
        let bytes = frames[0] + frames[1] + [0xc9] + sizes + [0xc9]
        let infos = try VP9FrameInfo.all(in: bytes)
        #expect(infos.map(\.isKeyFrame) == [true, false])
        // libvpx returns the last frame only.
        #expect(try VPXDecoder(.vp9).decode(bytes).map { Fingerprint.md5($0.bytes) } == Self.digests[1])
    }

    @Test("Predicted frames need a key frame, and large frames are refused before they are decoded") func refused()
        throws
    {
        let frames = try Self.frames()
        let decoder = try VPXDecoder(.vp9)
        #expect(throws: CodecError.missingKeyFrame) { try decoder.decode(frames[1]) }
        let small = try VPXDecoder(.vp9, maximumPixels: 34 * 17)
        #expect(throws: CodecError.frameTooLarge(width: 34, height: 18)) { try small.decode(frames[0]) }
        #expect(throws: CodecError.self) { try decoder.decode([]) }
        for codec in [VideoCodec.h264, .av1] {
            #expect(throws: CodecError.codecNotDecodable(codec)) { try VPXDecoder(codec) }
        }
    }

    @Test("Damaged frames do not trap, and the decoder recovers") func mutations() throws {
        let frames = try Self.frames()
        let decoder = try VPXDecoder(.vp9, maximumPixels: 1 << 16)
        var errors = 0
        var round = 0
        MutationFuzzer(corpus: frames, seed: 8).run(count: 5_000) { bytes in
            round += 1
            if round % 2 == 0 { _ = try? decoder.decode(frames[0]) }
            do { _ = try decoder.decode(bytes) } catch { errors += 1 }
        }
        #expect(errors > 0)
        #expect(try decoder.decode(frames[3]).map { Fingerprint.md5($0.bytes) } == Self.digests[3])
    }
}
