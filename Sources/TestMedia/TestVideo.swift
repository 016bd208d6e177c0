package import MediaBase

/// Generator of a moving test video. Each frame is a pure function of frame counter and size, so that a receiver can draw the
/// source frame again and compare. Two drifting triangle waves fill it, and a bright checkered square crosses it: gradients show
/// blocking, edges show ringing, and motion gives the encoder work.
package struct TestVideo: Sendable {
    package let width: Int
    package let height: Int

    /// - Precondition: `FrameBar.fits(width:height:)`.
    package init(width: Int, height: Int) {
        precondition(FrameBar.fits(width: width, height: height))
        self.width = width
        self.height = height
    }

    /// Returns frame `bar.counter` with `bar` drawn into it.
    package func frame(_ bar: FrameBar) -> I420Frame {
        var frame = I420Frame(width: width, height: height)
        draw(bar, into: &frame)
        return frame
    }

    /// Draws into a frame that the caller reuses.
    ///
    /// - Precondition: `frame` has the size of this generator.
    package func draw(_ bar: FrameBar, into frame: inout I420Frame) {
        precondition(frame.width == width && frame.height == height)
        let step = Int(bar.counter & 0xff_ffff)
        let (lumaWidth, lumaHeight) = (width, height)
        let (chromaWidth, chromaHeight) = (frame.chromaWidth, frame.chromaHeight)
        let (u, v) = (frame.uRange.lowerBound, frame.vRange.lowerBound)
        // Sums of one value per column and one per row stay within 48...206: no clamping in the inner loop.
        let across = (0..<width).map { 24 + Self.triangle($0 * 512 / lumaWidth + step * 3) * 79 / 255 }
        let down = (0..<height).map { 24 + Self.triangle($0 * 384 / lumaHeight + 512 - (step & 0x1ff)) * 79 / 255 }
        let columns = across.map { UInt8($0) }
        let rows = down.map { UInt8($0) }
        frame.bytes.withUnsafeMutableBufferPointer { plane in
            guard let base = plane.baseAddress else { return }
            columns.withUnsafeBufferPointer { columns in
                for y in 0..<lumaHeight {
                    let level = rows[y]
                    let line = base + y * lumaWidth
                    for x in 0..<lumaWidth { line[x] = columns[x] &+ level }
                }
            }
            for y in 0..<chromaHeight {
                let blue = UInt8(96 + Self.triangle(y * 256 / chromaHeight + step) / 4)
                let red = UInt8(160 - Self.triangle(y * 256 / chromaHeight + 128 + step * 2) / 4)
                (base + u + y * chromaWidth).update(repeating: blue, count: chromaWidth)
                (base + v + y * chromaWidth).update(repeating: red, count: chromaWidth)
            }
            drawSquare(step: step, into: base)
        }
        bar.write(into: &frame)
    }

    /// Draws a checkered square that bounces within the area below the bar.
    private func drawSquare(step: Int, into base: UnsafeMutablePointer<UInt8>) {
        let top = FrameBar.height(width: width)
        let side = max(8, min((height - top) / 3, width / 8) & ~7)
        let cell = max(4, side / 4)
        let left = Self.bounce(step * max(1, width / 160), within: width - side)
        let upper = top + Self.bounce(step * max(1, height / 120), within: height - top - side)
        for y in 0..<side {
            let line = base + (upper + y) * width + left
            for x in 0..<side { line[x] = (x / cell + y / cell) & 1 == 0 ? 225 : 40 }
        }
    }

    /// Returns a triangle wave of period 512 with values 0...255.
    private static func triangle(_ x: Int) -> Int {
        let phase = x & 0x1ff
        return phase < 256 ? phase : 511 - phase
    }

    /// Returns a position that moves back and forth between 0 and `limit`.
    private static func bounce(_ x: Int, within limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        let phase = x % (2 * limit)
        return phase < limit ? phase : 2 * limit - phase
    }
}
