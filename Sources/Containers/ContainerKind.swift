/// File formats of this target. `file` is the underlying byte source or sink of any format.
public enum ContainerKind: String, Hashable, Sendable, Codable, CaseIterable {
    case webm = "WebM"
    case ivf = "IVF"
    case ogg = "Ogg"
    case y4m = "Y4M"
    case wav = "WAV"
    case png = "PNG"
    case file = "file"

    /// Detects a readable container by its first bytes (16 suffice); returns nil if none matches.
    public static func sniff(_ head: [UInt8]) -> ContainerKind? {
        func starts(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
        if starts([0x1a, 0x45, 0xdf, 0xa3]) { return .webm }
        if starts(Array("DKIF".utf8)) { return .ivf }
        if starts(Array("OggS".utf8)) { return .ogg }
        if starts(Array("YUV4MPEG2".utf8)) { return .y4m }
        if starts(Array("RIFF".utf8)) { return .wav }
        return nil
    }
}
