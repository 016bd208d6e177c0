import CYUV
import Glibc
import MediaBase

/// The frame of the mixed video. All positions and sizes are even; what lies outside of the frame is not drawn.
struct MixCanvas {
    /// Luma of the background and of a tile without video.
    static let background: UInt8 = 28
    static let placeholder: UInt8 = 52
    private static let neutral: UInt8 = 128
    /// Opacity of black over the last frame of a stream that has paused.
    private static let dimming: UInt8 = 150

    private(set) var frame: I420Frame
    /// Rows of one value each, for blending.
    private let dimmed: [UInt8]
    private let black: [UInt8]
    private let gray: [UInt8]

    init(width: Int, height: Int) {
        frame = I420Frame(width: width, height: height)
        dimmed = [UInt8](repeating: Self.dimming, count: width)
        black = [UInt8](repeating: 16, count: width)
        gray = [UInt8](repeating: Self.neutral, count: width)
        clear()
    }

    mutating func clear() {
        fill(MixRectangle(x: 0, y: 0, width: frame.width, height: frame.height), luma: Self.background)
    }

    mutating func fill(_ area: MixRectangle, luma: UInt8) {
        withPlanes(area) { plane, x, y, width, height, stride, isLuma in
            for row in y..<(y + height) {
                memset(plane + row * stride + x, Int32(isLuma ? luma : Self.neutral), width)
            }
        }
    }

    /// Fills the borders beside a frame of another aspect ratio.
    mutating func fillBorders(of area: MixRectangle, around inner: MixRectangle) {
        let (left, top) = (inner.x - area.x, inner.y - area.y)
        let (right, bottom) = (area.width - left - inner.width, area.height - top - inner.height)
        let borders = [
            (area.x, area.y, left, area.height), (inner.x + inner.width, area.y, right, area.height),
            (area.x, area.y, area.width, top), (area.x, inner.y + inner.height, area.width, bottom),
        ]
        for (x, y, width, height) in borders where width > 0 && height > 0 {
            fill(MixRectangle(x: x, y: y, width: width, height: height), luma: Self.background)
        }
    }

    /// Copies a frame to the center of an area. It must not be larger.
    mutating func draw(_ image: I420Frame, in area: MixRectangle) {
        let target = MixRectangle(
            x: area.x + max(0, area.width - image.width) / 2, y: area.y + max(0, area.height - image.height) / 2,
            width: image.width, height: image.height)
        guard target.x + image.width <= frame.width, target.y + image.height <= frame.height else { return }
        let (u, v) = (image.uRange.lowerBound, image.vRange.lowerBound)
        image.bytes.withUnsafeBufferPointer { bytes in
            guard let source = bytes.baseAddress else { return }
            var number = 0
            withPlanes(target) { plane, x, y, width, height, stride, isLuma in
                let from = source + [0, u, v][number]
                number += 1
                for row in 0..<height {
                    (plane + (y + row) * stride + x).update(
                        from: from + row * (isLuma ? image.width : image.chromaWidth), count: width)
                }
            }
        }
    }

    /// Darkens an area.
    mutating func dim(_ area: MixRectangle) {
        let (dimmed, black, gray) = (dimmed, black, gray)
        withPlanes(area) { plane, x, y, width, height, stride, isLuma in
            let to = plane + y * stride + x
            _ = BlendPlane(
                isLuma ? black : gray, 0, to, Int32(stride), dimmed, 0, to, Int32(stride), Int32(width), Int32(height))
        }
    }

    /// Blends a name over the frame.
    mutating func draw(_ label: NameLabel, x: Int, y: Int) {
        guard x >= 0, y >= 0, x + label.width <= frame.width, y + label.height <= frame.height else { return }
        let gray = gray
        withPlanes(MixRectangle(x: x, y: y, width: label.width, height: label.height)) {
            plane, x, y, width, height, stride, isLuma in
            let to = plane + y * stride + x
            _ = BlendPlane(
                isLuma ? label.luma : gray, isLuma ? Int32(width) : 0, to, Int32(stride),
                isLuma ? label.opacity : label.chromaOpacity, Int32(width), to, Int32(stride), Int32(width),
                Int32(height))
        }
    }

    /// Calls `body` for the luma and both chroma planes, with the area in samples of the plane.
    private mutating func withPlanes(
        _ area: MixRectangle,
        _ body: (UnsafeMutablePointer<UInt8>, _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ stride: Int, Bool) ->
            Void
    ) {
        let (width, height, chromaWidth) = (frame.width, frame.height, frame.chromaWidth)
        let (u, v) = (frame.uRange.lowerBound, frame.vRange.lowerBound)
        guard area.x >= 0, area.y >= 0, area.x + area.width <= width, area.y + area.height <= height else { return }
        frame.bytes.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            body(base, area.x, area.y, area.width, area.height, width, true)
            for start in [u, v] {
                body(base + start, area.x / 2, area.y / 2, area.width / 2, area.height / 2, chromaWidth, false)
            }
        }
    }
}
