import MediaBase
import Testing

@testable import MillraceClient

@Suite("Rotation of frames") struct FrameRotatorTests {
    /// Frame of 3 x 2 pixels with six shades.
    private static func frame(_ rotation: Rotation) -> I420Frame {
        var frame = I420Frame(width: 3, height: 2)
        frame.bytes.replaceSubrange(frame.yRange, with: [1, 2, 3, 4, 5, 6])
        frame.bytes.replaceSubrange(frame.uRange, with: [7, 8])
        frame.bytes.replaceSubrange(frame.vRange, with: [9, 10])
        frame.rotation = rotation
        frame.captureTime = .seconds(3)
        return frame
    }

    @Test(
        "CAN-1 a frame is rotated clockwise by its rotation",
        arguments: [
            (Rotation.none, [1, 2, 3, 4, 5, 6], [7, 8], [9, 10]), (.quarter, [4, 1, 5, 2, 6, 3], [7, 8], [9, 10]),
            (.half, [6, 5, 4, 3, 2, 1], [8, 7], [10, 9]), (.threeQuarters, [3, 6, 2, 5, 1, 4], [8, 7], [10, 9]),
        ] as [(Rotation, [UInt8], [UInt8], [UInt8])])
    func turns(rotation: Rotation, luma: [UInt8], blue: [UInt8], red: [UInt8]) {
        let turned = FrameRotator.upright(Self.frame(rotation))
        let isSideways = rotation == .quarter || rotation == .threeQuarters
        #expect(turned.width == (isSideways ? 2 : 3) && turned.height == (isSideways ? 3 : 2))
        #expect(Array(turned.bytes[turned.yRange]) == luma)
        #expect(Array(turned.bytes[turned.uRange]) == blue)
        #expect(Array(turned.bytes[turned.vRange]) == red)
        #expect(turned.rotation == .none && turned.captureTime == .seconds(3))
    }
}
