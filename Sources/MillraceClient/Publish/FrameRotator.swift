import MediaBase

/// Rotates frames by their `rotation`: before encoding, so that subscribers without the header extension for it (RFC 7742 section 4) see
/// them upright too; and after decoding, as that extension specifies.
enum FrameRotator {
    /// - Returns: the upright frame with `rotation` `none`.
    static func upright(_ frame: I420Frame) -> I420Frame {
        guard frame.rotation != .none else { return frame }
        let isSideways = frame.rotation != .half
        var turned = I420Frame(
            width: isSideways ? frame.height : frame.width, height: isSideways ? frame.width : frame.height)
        turned.captureTime = frame.captureTime
        let planes = [
            (frame.yRange, turned.yRange, frame.width, frame.height),
            (frame.uRange, turned.uRange, frame.chromaWidth, frame.chromaHeight),
            (frame.vRange, turned.vRange, frame.chromaWidth, frame.chromaHeight),
        ]
        frame.bytes.withUnsafeBufferPointer { from in
            turned.bytes.withUnsafeMutableBufferPointer { to in
                for (source, target, width, height) in planes {
                    turn(
                        UnsafeBufferPointer(rebasing: from[source]), width, height, frame.rotation,
                        UnsafeMutableBufferPointer(rebasing: to[target]))
                }
            }
        }
        return turned
    }

    /// Copies the plane row by row of the source.
    private static func turn(
        _ from: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int, _ rotation: Rotation,
        _ to: UnsafeMutableBufferPointer<UInt8>
    ) {
        for y in 0..<height {
            // Index of the row's first pixel in the target, and distance between its pixels there.
            let (start, step) =
                switch rotation {
                case .none: (y * width, 1)
                case .quarter: (height - 1 - y, height)
                case .half: ((height - y) * width - 1, -1)
                case .threeQuarters: ((width - 1) * height + y, -height)
                }
            for x in 0..<width { to[start + x * step] = from[y * width + x] }
        }
    }
}
