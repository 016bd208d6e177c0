package import MediaBase

extension I420Frame {
    /// Returns the frame with its `rotation` applied.
    package func upright() -> I420Frame {
        guard rotation != .none else { return self }
        let swapsSides = rotation != .half
        let (toWidth, toHeight) = swapsSides ? (height, width) : (width, height)
        var result = I420Frame(width: toWidth, height: toHeight)
        result.captureTime = captureTime
        turn(yRange, width, height, to: &result.bytes, at: result.yRange.lowerBound)
        turn(uRange, chromaWidth, chromaHeight, to: &result.bytes, at: result.uRange.lowerBound)
        turn(vRange, chromaWidth, chromaHeight, to: &result.bytes, at: result.vRange.lowerBound)
        return result
    }

    private func turn(_ plane: Range<Int>, _ w: Int, _ h: Int, to target: inout [UInt8], at start: Int) {
        // Offset of sample (0, 0) in the result, and the steps for one sample right and down.
        let (origin, right, down) =
            switch rotation {
            case .none: (0, 1, w)
            case .quarter: (h - 1, h, -1)
            case .half: (w * h - 1, -1, -w)
            case .threeQuarters: ((w - 1) * h, -h, 1)
            }
        for y in 0..<h {
            for x in 0..<w { target[start + origin + x * right + y * down] = bytes[plane.lowerBound + y * w + x] }
        }
    }

    /// Returns the upright frame in the given size: scaled to fit with its aspect ratio, centered, with black borders.
    /// Bilinear.
    package func fitted(width toWidth: Int, height toHeight: Int) -> I420Frame {
        let source = upright()
        guard source.width != toWidth || source.height != toHeight else { return source }
        var result = I420Frame(width: toWidth, height: toHeight)
        result.captureTime = captureTime
        // Even offsets and sizes keep luma and chroma aligned.
        let isWider = source.width * toHeight > toWidth * source.height
        var (w, h) =
            isWider
            ? (toWidth, max(1, source.height * toWidth / source.width))
            : (max(1, source.width * toHeight / source.height), toHeight)
        if w < toWidth { w = max(2, w & ~1) }
        if h < toHeight { h = max(2, h & ~1) }
        (w, h) = (min(w, toWidth), min(h, toHeight))
        let (x, y) = ((toWidth - w) / 2 & ~1, (toHeight - h) / 2 & ~1)
        source.bytes.withUnsafeBufferPointer { from in
            result.scalePlane(from, source.yRange, source.width, source.height, toWidth, 0, x, y, w, h)
            let (chroma, chromaRows) = ((w + 1) / 2, (h + 1) / 2)
            for (plane, target) in [
                (source.uRange, result.uRange.lowerBound), (source.vRange, result.vRange.lowerBound),
            ] {
                result.scalePlane(
                    from, plane, source.chromaWidth, source.chromaHeight, result.chromaWidth, target, x / 2, y / 2,
                    chroma, chromaRows)
            }
        }
        return result
    }

    /// Scales one plane of `w` x `h` into the rectangle at (`x`, `y`) of `toWidth` x `toHeight`. Positions are in
    /// 1/65536 samples.
    private mutating func scalePlane(
        _ from: UnsafeBufferPointer<UInt8>, _ plane: Range<Int>, _ w: Int, _ h: Int, _ stride: Int, _ start: Int,
        _ x: Int,
        _ y: Int, _ toWidth: Int, _ toHeight: Int
    ) {
        let stepX = w << 16 / toWidth
        let stepY = h << 16 / toHeight
        bytes.withUnsafeMutableBufferPointer { target in
            for row in 0..<toHeight {
                let v = Swift.max(0, Swift.min((h - 1) << 16, row * stepY + stepY / 2 - 32_768))
                let upper = plane.lowerBound + (v >> 16) * w
                let lower = plane.lowerBound + Swift.min(h - 1, v >> 16 + 1) * w
                let shareY = v & 0xffff
                let line = start + (y + row) * stride + x
                for column in 0..<toWidth {
                    let u = Swift.max(0, Swift.min((w - 1) << 16, column * stepX + stepX / 2 - 32_768))
                    let (left, right, shareX) = (u >> 16, Swift.min(w - 1, u >> 16 + 1), u & 0xffff)
                    let top = Int(from[upper + left]) * (65_536 - shareX) + Int(from[upper + right]) * shareX
                    let bottom = Int(from[lower + left]) * (65_536 - shareX) + Int(from[lower + right]) * shareX
                    let sum = (top >> 8) * (65_536 - shareY) + (bottom >> 8) * shareY
                    target[line + column] = UInt8(clamping: (sum + (1 << 23)) >> 24)
                }
            }
        }
    }
}
