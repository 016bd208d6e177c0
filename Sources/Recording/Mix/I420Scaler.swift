import CYUV
import Codecs
import MediaBase

/// Scales and rotates decoded frames with libyuv.
struct I420Scaler {
    /// Planes of a source, as libyuv takes them.
    private struct Planes {
        let y: UnsafePointer<UInt8>
        let u: UnsafePointer<UInt8>
        let v: UnsafePointer<UInt8>
        let yStride: Int32
        let chromaStride: Int32
        let width: Int32
        let height: Int32

        init(
            y: UnsafePointer<UInt8>, u: UnsafePointer<UInt8>, v: UnsafePointer<UInt8>, yStride: Int, chromaStride: Int,
            width: Int, height: Int
        ) {
            (self.y, self.u, self.v) = (y, u, v)
            (self.yStride, self.chromaStride) = (Int32(clamping: yStride), Int32(clamping: chromaStride))
            (self.width, self.height) = (Int32(clamping: width), Int32(clamping: height))
        }

        init(_ planes: borrowing I420Planes) {
            self.init(
                y: planes.y, u: planes.u, v: planes.v, yStride: planes.yStride, chromaStride: planes.chromaStride,
                width: planes.width, height: planes.height)
        }
    }

    /// Frame between scaling and rotation.
    private var turned = I420Frame(width: 2, height: 2)

    /// Scales a frame to the size of `target` and turns it clockwise by `rotation`. The aspect ratio is up to the caller.
    mutating func scale(_ source: borrowing I420Planes, rotation: Rotation, into target: inout I420Frame) {
        guard rotation != .none else { return Self.scale(Planes(source), into: &target) }
        let (width, height) =
            rotation.isSideways ? (target.height, target.width) : (target.width, target.height)
        // Scaled before it is turned, because the result has fewer pixels.
        if turned.width != width || turned.height != height { turned = I420Frame(width: width, height: height) }
        Self.scale(Planes(source), into: &turned)
        Self.turn(turned, by: rotation, into: &target)
    }

    /// Scales a frame with its planes in one array.
    static func scale(_ source: I420Frame, into target: inout I420Frame) {
        source.bytes.withUnsafeBufferPointer { bytes in
            guard let y = bytes.baseAddress else { return }
            scale(
                Planes(
                    y: y, u: y + source.uRange.lowerBound, v: y + source.vRange.lowerBound, yStride: source.width,
                    chromaStride: source.chromaWidth, width: source.width, height: source.height), into: &target)
        }
    }

    private static func scale(_ source: Planes, into target: inout I420Frame) {
        let (width, height, chromaWidth) = (target.width, target.height, target.chromaWidth)
        let (u, v) = (target.uRange.lowerBound, target.vRange.lowerBound)
        // The box filter reads every pixel when a frame becomes smaller; for larger frames it is bilinear.
        target.bytes.withUnsafeMutableBufferPointer { bytes in
            guard let to = bytes.baseAddress else { return }
            _ = I420Scale(
                source.y, source.yStride, source.u, source.chromaStride, source.v, source.chromaStride, source.width,
                source.height, to, Int32(width), to + u, Int32(chromaWidth), to + v, Int32(chromaWidth), Int32(width),
                Int32(height), kFilterBox)
        }
    }

    private static func turn(_ source: I420Frame, by rotation: Rotation, into target: inout I420Frame) {
        let mode: RotationMode =
            switch rotation {
            case .none: kRotate0
            case .quarter: kRotate90
            case .half: kRotate180
            case .threeQuarters: kRotate270
            }
        let (width, chromaWidth) = (Int32(target.width), Int32(target.chromaWidth))
        let (u, v) = (target.uRange.lowerBound, target.vRange.lowerBound)
        source.bytes.withUnsafeBufferPointer { from in
            target.bytes.withUnsafeMutableBufferPointer { bytes in
                guard let y = from.baseAddress, let to = bytes.baseAddress else { return }
                let stride = Int32(source.chromaWidth)
                _ = I420Rotate(
                    y, Int32(source.width), y + source.uRange.lowerBound, stride, y + source.vRange.lowerBound, stride,
                    to, width, to + u, chromaWidth, to + v, chromaWidth, Int32(source.width), Int32(source.height), mode
                )
            }
        }
    }
}
