public import MediaBase

/// An upright image of 8-bit red, green and blue; rows without padding.
public struct RGBImage: Sendable {
    public let width: Int
    public let height: Int
    public private(set) var bytes: [UInt8]

    /// Converts a frame with the matrix of ITU-R BT.601 and limited range (16...235), which VP8 implies, and applies
    /// the frame's rotation. Chroma is repeated, not interpolated.
    public init(_ frame: I420Frame) {
        let turned = frame.rotation == .quarter || frame.rotation == .threeQuarters
        let (w, h) = (frame.width, frame.height)
        width = turned ? h : w
        height = turned ? w : h
        bytes = [UInt8](repeating: 0, count: w * h * 3)
        // Offset of the frame's pixel (0, 0) in the result, and the steps for one pixel right and down.
        let (origin, stepX, stepY) =
            switch frame.rotation {
            case .none: (0, 1, w)
            case .quarter: (h - 1, h, -1)
            case .half: (w * h - 1, -1, -w)
            case .threeQuarters: ((w - 1) * h, -h, 1)
            }
        let chroma = frame.chromaWidth
        let (uStart, vStart) = (frame.uRange.lowerBound, frame.vRange.lowerBound)
        frame.bytes.withUnsafeBufferPointer { source in
            bytes.withUnsafeMutableBufferPointer { target in
                for y in 0..<h {
                    let row = y * w
                    let chromaRow = (y / 2) * chroma
                    var at = (origin + y * stepY) * 3
                    for x in 0..<w {
                        let luma = 298 * (Int(source[row + x]) - 16) + 128
                        let u = Int(source[uStart + chromaRow + x / 2]) - 128
                        let v = Int(source[vStart + chromaRow + x / 2]) - 128
                        target[at] = Self.clamp((luma + 409 * v) >> 8)
                        target[at + 1] = Self.clamp((luma - 100 * u - 208 * v) >> 8)
                        target[at + 2] = Self.clamp((luma + 516 * u) >> 8)
                        at += stepX * 3
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func clamp(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value))) }
}
