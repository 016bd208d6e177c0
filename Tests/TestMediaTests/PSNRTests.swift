import Foundation
import MediaBase
import TestMedia
import Testing

@Suite struct PSNRTests {
    @Test func equalFramesGetTheCap() {
        let frame = TestVideo(width: 160, height: 90).frame(FrameBar(counter: 1, captureMicroseconds: 1))
        #expect(PSNR.luma(frame, against: frame) == PSNR.identical)
    }

    /// 10 log10(255^2 / d^2) if each sample differs by d.
    @Test(arguments: [(1, 48.1308), (2, 42.1102), (16, 24.0484), (219, 1.3220)])
    func aConstantDifferenceHasAKnownValue(difference: Int, decibels: Double) throws {
        let black = I420Frame(width: 64, height: 48)
        var other = black
        for i in other.yRange { other.bytes[i] = UInt8(16 + difference) }
        #expect(abs(try #require(PSNR.luma(other, against: black)) - decibels) < 0.001)
    }

    @Test func chromaDoesNotCount() {
        let black = I420Frame(width: 64, height: 48)
        var other = black
        for i in other.uRange { other.bytes[i] = 0 }
        #expect(PSNR.luma(other, against: black) == PSNR.identical)
    }

    @Test func oneSampleOfMany() throws {
        let black = I420Frame(width: 100, height: 100)
        var other = black
        other.bytes[5_050] = 16 + 100
        // Mean squared error 10,000 / 10,000 = 1.
        #expect(abs(try #require(PSNR.luma(other, against: black)) - 48.1308) < 0.001)
    }

    @Test func otherSizesHaveNone() {
        #expect(PSNR.luma(I420Frame(width: 64, height: 48), against: I420Frame(width: 48, height: 64)) == nil)
    }

    @Test("A decoded frame is compared with the source frame that its bar identifies")
    func sourceIsDrawnAgain() {
        var comparison = SourceComparison(width: 320, height: 180)
        for counter: UInt32 in [7, 8] {
            let bar = FrameBar(counter: counter, captureMicroseconds: 1)
            let frame = TestVideo(width: 320, height: 180).frame(bar)
            #expect(comparison.psnr(of: frame, bar) == PSNR.identical)
        }
        let bar = FrameBar(counter: 8, captureMicroseconds: 1)
        #expect(comparison.psnr(of: TestVideo(width: 160, height: 90).frame(bar), bar) == nil)
    }
}
