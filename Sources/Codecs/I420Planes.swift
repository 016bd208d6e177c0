public import MediaBase

/// A frame in a decoder's memory: three planes with possibly padded rows. Valid only during the call that provides it;
/// it cannot be copied.
public struct I420Planes: ~Copyable {
    public let width: Int
    public let height: Int
    /// `height` rows of `width` bytes, `yStride` apart.
    public let y: UnsafePointer<UInt8>
    /// `chromaHeight` rows of `chromaWidth` bytes, `chromaStride` apart.
    public let u: UnsafePointer<UInt8>
    public let v: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    public let yStride: Int
    public let chromaStride: Int

    public var chromaWidth: Int { (width + 1) / 2 }
    public var chromaHeight: Int { (height + 1) / 2 }

    /// Returns a copy of the frame, rows without padding.
    public func frame(rotation: Rotation = .none, captureTime: MediaTime = .zero) -> I420Frame {
        let size = I420Frame.byteCount(width: width, height: height)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            copy(into: bytes.baseAddress!)
            count = size
        }
        return I420Frame(width: width, height: height, bytes: bytes, rotation: rotation, captureTime: captureTime)
    }

    /// Writes `I420Frame.byteCount(width:height:)` bytes: the planes one after another, rows without padding.
    public func copy(into destination: UnsafeMutablePointer<UInt8>) {
        var end = destination
        Self.copy(y, stride: yStride, width: width, rows: height, to: &end)
        Self.copy(u, stride: chromaStride, width: chromaWidth, rows: chromaHeight, to: &end)
        Self.copy(v, stride: chromaStride, width: chromaWidth, rows: chromaHeight, to: &end)
    }

    private static func copy(
        _ plane: UnsafePointer<UInt8>, stride: Int, width: Int, rows: Int, to end: inout UnsafeMutablePointer<UInt8>
    ) {
        for row in 0..<rows {
            end.update(from: plane + row * stride, count: width)
            end += width
        }
    }
}
