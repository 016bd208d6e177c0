public import MediaBase

/// Reads IVF. The format has no sync markers, so reading ends at the first damaged length.
public final class IVFReader {
    public static let maximumFrame = 64 << 20

    public let header: IVFHeader
    public private(set) var damage = DamageLog()
    public private(set) var framesRead = 0
    public var position: Int64 { input.position }
    public let byteCount: Int64
    private let input: BufferedSource
    private var isAtEnd = false

    public init(source: any ByteSource) throws(ContainerError) {
        input = BufferedSource(source)
        byteCount = source.byteCount
        let head = Array(try input.peek(IVFHeader.byteCount))
        guard head.starts(with: Array("DKIF".utf8)) else {
            throw ContainerError(.ivf, "signature", at: 0, .wrongFormat)
        }
        guard head.count == IVFHeader.byteCount else { throw ContainerError(.ivf, "header", at: 0, .truncated) }
        let version = head.littleEndian(UInt16.self, at: 4)
        guard version == 0 else { throw ContainerError(.ivf, "version", at: 4, .unsupported("version \(version)")) }
        let headerSize = Int(head.littleEndian(UInt16.self, at: 6))
        guard (IVFHeader.byteCount...4096).contains(headerSize) else {
            throw ContainerError(.ivf, "header size", at: 6, .malformed("\(headerSize)"))
        }
        header = IVFHeader(
            codec: String(decoding: head[8..<12], as: UTF8.self), width: Int(head.littleEndian(UInt16.self, at: 12)),
            height: Int(head.littleEndian(UInt16.self, at: 14)), rate: Int(head.littleEndian(UInt32.self, at: 16)),
            scale: Int(head.littleEndian(UInt32.self, at: 20)), frameCount: Int(head.littleEndian(UInt32.self, at: 24)))
        input.seek(to: Int64(headerSize))
    }

    /// Returns the presentation time of a frame; zero if the header's time base is invalid.
    public func time(of frame: IVFFrame) -> MediaTime {
        guard header.rate > 0, header.scale > 0 else { return .zero }
        let seconds = Double(frame.timestamp) * Double(header.scale) / Double(header.rate)
        return abs(seconds) < 9e9 ? .nanoseconds(Int64((seconds * 1e9).rounded())) : .zero
    }

    /// Returns the next frame; nil at the end.
    public func next() throws(ContainerError) -> IVFFrame? {
        guard !isAtEnd else { return nil }
        let start = input.position
        let head = Array(try input.peek(12))
        guard head.count == 12 else { return end(head.isEmpty ? nil : .truncated, "frame header", at: start) }
        let size = Int(head.littleEndian(UInt32.self, at: 0))
        guard size <= Self.maximumFrame else {
            return end(.tooLarge(limit: Int64(Self.maximumFrame)), "frame size", at: start)
        }
        input.seek(to: start + 12)
        guard Int64(size) <= input.remaining else { return end(.truncated, "frame", at: start) }
        let bytes = try input.bytes(size)
        guard bytes.count == size else { return end(.truncated, "frame", at: start) }
        framesRead += 1
        return IVFFrame(
            timestamp: Int64(bitPattern: head.littleEndian(UInt64.self, at: 4)), position: start, bytes: bytes)
    }

    private func end(_ reason: ContainerError.Reason?, _ field: String, at offset: Int64) -> IVFFrame? {
        isAtEnd = true
        if let reason { damage.add(ContainerError(.ivf, field, at: offset, reason), lostBytes: byteCount - offset) }
        return nil
    }
}
