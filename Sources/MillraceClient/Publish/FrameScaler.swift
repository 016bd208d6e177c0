import MediaBase

/// Scales frames to half their width and height by averaging four pixels, for the smaller simulcast encodings.
enum FrameScaler {
    /// - Returns: nil if the frame is too small.
    static func half(_ frame: I420Frame) -> I420Frame? {
        // The sides are rounded down to even numbers, so that chroma has whole pixels.
        let (width, height) = (frame.width / 4 * 2, frame.height / 4 * 2)
        guard width >= 2, height >= 2 else { return nil }
        var scaled = I420Frame(width: width, height: height)
        scaled.captureTime = frame.captureTime
        let (source, target) = (frame, (scaled.yRange, scaled.uRange, scaled.vRange))
        let (chromaWidth, chromaHeight) = (scaled.chromaWidth, scaled.chromaHeight)
        source.bytes.withUnsafeBufferPointer { from in
            scaled.bytes.withUnsafeMutableBufferPointer { to in
                plane(from, source.yRange.lowerBound, source.width, to, target.0.lowerBound, width, height)
                for (start, destination) in [(source.uRange, target.1), (source.vRange, target.2)] {
                    plane(
                        from, start.lowerBound, source.chromaWidth, to, destination.lowerBound, chromaWidth,
                        chromaHeight)
                }
            }
        }
        return scaled
    }

    private static func plane(
        _ from: UnsafeBufferPointer<UInt8>, _ start: Int, _ stride: Int, _ to: UnsafeMutableBufferPointer<UInt8>,
        _ offset: Int, _ width: Int, _ height: Int
    ) {
        for y in 0..<height {
            let upper = start + 2 * y * stride
            let lower = upper + stride
            let row = offset + y * width
            for x in 0..<width {
                let sum =
                    UInt16(from[upper + 2 * x]) + UInt16(from[upper + 2 * x + 1]) + UInt16(from[lower + 2 * x])
                    + UInt16(from[lower + 2 * x + 1])
                to[row + x] = UInt8((sum + 2) >> 2)
            }
        }
    }
}
