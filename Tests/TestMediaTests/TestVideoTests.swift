import MediaBase
import TestMedia
import Testing

@Suite struct TestVideoTests {
    @Test func isAFunctionOfCounterAndSize() {
        let bar = FrameBar(counter: 12_345, captureMicroseconds: 42)
        let first = TestVideo(width: 640, height: 360).frame(bar)
        var second = I420Frame(width: 640, height: 360)
        let video = TestVideo(width: 640, height: 360)
        video.draw(FrameBar(counter: 9, captureMicroseconds: 9), into: &second)
        video.draw(bar, into: &second)
        #expect(first.bytes == second.bytes)
    }

    @Test func movesFromFrameToFrame() throws {
        let video = TestVideo(width: 320, height: 180)
        for counter in [0, 100, 0xff_ffff] as [UInt32] {
            let a = video.frame(FrameBar(counter: counter, captureMicroseconds: 0))
            let b = video.frame(FrameBar(counter: counter &+ 1, captureMicroseconds: 0))
            #expect(try #require(PSNR.luma(a, against: b)) < 40)
        }
    }

    @Test(arguments: [0, 1, 511, 512, 0xffff_ffff] as [UInt32])
    func staysWithinVideoRange(counter: UInt32) {
        let frame = TestVideo(width: 160, height: 90).frame(FrameBar(counter: counter, captureMicroseconds: .max))
        #expect(frame.bytes.allSatisfy { (16...240).contains($0) })
    }
}
