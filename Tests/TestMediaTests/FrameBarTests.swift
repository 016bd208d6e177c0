import Codecs
import MediaBase
import TestMedia
import Testing

@Suite struct FrameBarTests {
    @Test(arguments: [(160, 90), (176, 144), (320, 180), (426, 240), (640, 360), (1280, 720), (1920, 1080)])
    func everySizeReadsBackWhatWasWritten(width: Int, height: Int) {
        let video = TestVideo(width: width, height: height)
        for counter: UInt32 in [0, 1, 255, 65_535, 65_536, 0x8000_0000, .max] {
            let bar = FrameBar(counter: counter, captureMicroseconds: 1_700_000_000_123_456 ^ UInt64(counter))
            #expect(FrameBar.read(from: video.frame(bar)) == bar)
        }
    }

    @Test(arguments: [UInt64.min, .max, 0xaaaa_aaaa_aaaa_aaaa, 0x5555_5555_5555_5555])
    func everyTimeReadsBack(time: UInt64) {
        let bar = FrameBar(counter: 0x1234_5678, captureMicroseconds: time)
        #expect(FrameBar.read(from: TestVideo(width: 320, height: 180).frame(bar)) == bar)
    }

    @Test func survivesVP8AtLowBitRate() throws {
        let video = TestVideo(width: 320, height: 180)
        let encoder = try VP8Encoder(
            VP8EncoderConfiguration(width: 320, height: 180, framesPerSecond: 15, bitrate: .kilobits(150), speed: 8))
        let decoder = try VPXDecoder()
        var bytes = 0
        for counter in 0..<90 as Range<UInt32> {
            let bar = FrameBar(counter: counter, captureMicroseconds: 1_790_000_000_000_000 + UInt64(counter) * 66_667)
            let source = video.frame(bar)
            let encoded = try #require(try encoder.encode(source, timestamp: Int64(counter) * 6_000))
            bytes += encoded.bytes.count
            let decoded = try #require(try decoder.decode(encoded.bytes))
            #expect(FrameBar.read(from: decoded) == bar)
            let quality = try #require(PSNR.luma(decoded, against: source))
            #expect(quality > 30, "frame \(counter): \(quality) dB")
        }
        // Six seconds at 150 kb/s, with the overshoot of rate control.
        #expect(bytes * 8 / 6 < 200_000)
    }

    @Test func aFrameWithoutABarHasNone() {
        #expect(FrameBar.read(from: I420Frame(width: 320, height: 180)) == nil)
        var noise = I420Frame(width: 320, height: 180)
        var state: UInt32 = 7
        for i in noise.bytes.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            noise.bytes[i] = UInt8(state >> 24)
        }
        #expect(FrameBar.read(from: noise) == nil)
        #expect(FrameBar.read(from: I420Frame(width: 8, height: 8)) == nil)
    }

    @Test func oneWrongBlockIsFoundOut() {
        let bar = FrameBar(counter: 77, captureMicroseconds: 1_234_567)
        for column in 8..<40 {
            var frame = TestVideo(width: 320, height: 180).frame(bar)
            for y in 0..<8 {
                for x in (column * 8)..<(column * 8 + 8) { frame.bytes[y * 320 + x] = 251 - frame.bytes[y * 320 + x] }
            }
            #expect(FrameBar.read(from: frame) == nil)
        }
    }

    @Test func aShortPlaneIsRefused() {
        let luma = [UInt8](repeating: 16, count: 320 * 10)
        let bar = luma.withUnsafeBufferPointer { FrameBar.read(luma: $0, stride: 320, width: 320, height: 180) }
        #expect(bar == nil)
    }
}
