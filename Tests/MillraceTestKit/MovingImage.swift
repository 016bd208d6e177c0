package import MediaBase

/// A frame with camera-like motion: a soft background that drifts, and a disc with a pattern that crosses it. The same number gives the
/// same frame. Static parts are drawn once; a frame is put together from whole rows.
package struct MovingImage: Sendable {
    package let width: Int
    package let height: Int
    private let radius: Int
    /// `height` rows that are `drift` samples longer than the frame's width.
    private let background: [UInt8]
    /// `2 * radius` rows of `2 * radius` samples.
    private let disc: [UInt8]
    private let chroma: I420Frame
    private static let drift = 60

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
        let radius = max(2, min(width, height) / 5)
        self.radius = radius
        background = (0..<height).flatMap { y in
            (0..<(width + Self.drift)).map { x in UInt8(clamping: 60 + x * 60 / width + y * 60 / height) }
        }
        disc = (0..<(4 * radius * radius)).map {
            170 + UInt8((($0 % (2 * radius)) >> 3 ^ ($0 / (2 * radius)) >> 3) & 1) * 30
        }
        var chroma = I420Frame(width: width, height: height)
        for y in 0..<chroma.chromaHeight {
            for x in 0..<chroma.chromaWidth {
                let at = y * chroma.chromaWidth + x
                chroma.bytes[chroma.uRange.lowerBound + at] = UInt8(100 + x * 50 / chroma.chromaWidth)
                chroma.bytes[chroma.vRange.lowerBound + at] = UInt8(150 - y * 50 / chroma.chromaHeight)
            }
        }
        self.chroma = chroma
    }

    package func frame(_ number: Int) -> I420Frame {
        var frame = chroma
        frame.captureTime = .milliseconds(Int64(number) * 33)
        let shift = number % (2 * Self.drift)
        let start = shift < Self.drift ? shift : 2 * Self.drift - shift
        let centre = (x: number * 3 % width, y: height / 2 + (number % 40 < 20 ? number % 20 : 20 - number % 20))
        frame.bytes.withUnsafeMutableBufferPointer { bytes in
            for y in 0..<height {
                let row = y * (width + Self.drift) + start
                _ = bytes[(y * width)..<((y + 1) * width)].update(fromContentsOf: background[row..<(row + width)])
            }
            for y in 0..<height where abs(y - centre.y) < radius {
                let dy = y - centre.y
                var half = radius
                while half > 0 && half * half + dy * dy > radius * radius { half -= 1 }
                let (from, to) = (max(0, centre.x - half), min(width, centre.x + half))
                guard from < to else { continue }
                let row = (dy + radius) * 2 * radius + radius - centre.x
                _ = bytes[(y * width + from)..<(y * width + to)].update(fromContentsOf: disc[(row + from)..<(row + to)])
            }
        }
        return frame
    }
}
