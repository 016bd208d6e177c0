import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

@Suite struct PNGTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        (UInt8(16), UInt8(128), UInt8(128), [UInt8(0), 0, 0]), (235, 128, 128, [255, 255, 255]),
        (81, 90, 240, [255, 0, 0]), (145, 54, 34, [0, 255, 0]), (41, 240, 110, [0, 0, 255]),
    ])
    func coloursFollowBT601(y: UInt8, u: UInt8, v: UInt8, rgb: [UInt8]) {
        let image = RGBImage(I420Frame(width: 2, height: 2, bytes: [y, y, y, y, u, v]))
        for (value, expected) in zip(image.bytes.prefix(3), rgb) { #expect(abs(Int(value) - Int(expected)) <= 2) }
    }

    @Test func rotationTurnsClockwise() {
        // Four luma levels, clockwise from the top left: a b d c.
        func corners(_ rotation: Rotation) -> [UInt8] {
            let frame = I420Frame(
                width: 3, height: 2, bytes: [16, 40, 80, 100, 140, 200, 128, 128, 128, 128], rotation: rotation)
            let image = RGBImage(frame)
            func at(_ x: Int, _ y: Int) -> UInt8 { image.bytes[(y * image.width + x) * 3] }
            return [
                at(0, 0), at(image.width - 1, 0), at(image.width - 1, image.height - 1),
                at(0, image.height - 1),
            ]
        }
        let upright = corners(.none)
        #expect(corners(.quarter) == [upright[3], upright[0], upright[1], upright[2]])
        #expect(corners(.half) == [upright[2], upright[3], upright[0], upright[1]])
        #expect(corners(.threeQuarters) == [upright[1], upright[2], upright[3], upright[0]])
        let turned = RGBImage(
            I420Frame(width: 3, height: 2, bytes: [UInt8](repeating: 128, count: 10), rotation: .quarter))
        #expect(turned.width == 2 && turned.height == 3)
    }

    @Test(.enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: Rotation.allCases)
    func ffmpegSeesTheSamePixels(rotation: Rotation) throws {
        var frame = TestMedia.frame(3, width: 51, height: 37)
        frame.rotation = rotation
        for fast in [true, false] {
            let path = folder.file("image.png")
            try PNGWriter.write(frame, path: path, fast: fast)
            let raw = try MediaTool.ffmpeg.run([
                "-v", "warning", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-",
            ])
            #expect(raw.errors.isEmpty)
            #expect(raw.bytes == RGBImage(frame).bytes)
        }
    }
}
