/// The 32-byte header of an IVF file: little-endian, `DKIF`.
public struct IVFHeader: Hashable, Sendable {
    public static let byteCount = 32

    /// FourCC of the codec, `VP80` for VP8.
    public var codec: String
    public var width: Int
    public var height: Int
    /// Ticks per second = `rate / scale`.
    public var rate: Int
    public var scale: Int
    /// Frame count in the header; 0 if the writer was killed.
    public var frameCount: Int

    public init(codec: String = "VP80", width: Int, height: Int, rate: Int, scale: Int = 1, frameCount: Int = 0) {
        self.codec = codec
        self.width = width
        self.height = height
        self.rate = rate
        self.scale = scale
        self.frameCount = frameCount
    }

    var bytes: [UInt8] {
        var out = Array("DKIF".utf8)
        out.appendLittleEndian(UInt16(0))
        out.appendLittleEndian(UInt16(Self.byteCount))
        out.append(contentsOf: Array((codec + "    ").utf8.prefix(4)))
        out.appendLittleEndian(UInt16(clamping: width))
        out.appendLittleEndian(UInt16(clamping: height))
        out.appendLittleEndian(UInt32(clamping: rate))
        out.appendLittleEndian(UInt32(clamping: scale))
        out.appendLittleEndian(UInt32(clamping: frameCount))
        out.appendLittleEndian(UInt32(0))
        return out
    }
}
