/// CodecPrivate of an H.264 track: AVCDecoderConfigurationRecord (ISO/IEC 14496-15 section 5.3.3.1). NAL units in blocks have lengths of
/// four bytes.
public struct AVCConfiguration: Hashable, Sendable {
    /// Profiles whose record ends with chroma format and bit depths.
    private static let highProfiles: Set<UInt8> = [44, 100, 110, 122, 144, 244]
    private static let maximumLength = 1 << 16 - 1

    public let bytes: [UInt8]

    /// - Parameters: parameter sets without start codes: one to 31 SPS, one to 255 PPS.
    /// - Returns: nil if they have another number, or are truncated.
    public init?(sequenceSets: [[UInt8]], pictureSets: [[UInt8]]) {
        guard (1...31).contains(sequenceSets.count), (1...255).contains(pictureSets.count),
            let first = sequenceSets.first, first.count >= 4,
            (sequenceSets + pictureSets).allSatisfy({ !$0.isEmpty && $0.count <= Self.maximumLength })
        else { return nil }
        var out: [UInt8] = [1, first[1], first[2], first[3], 0xff, 0xe0 | UInt8(sequenceSets.count)]
        func add(_ set: [UInt8]) { out += [UInt8(set.count >> 8), UInt8(set.count & 0xff)] + set }
        for set in sequenceSets { add(set) }
        out.append(UInt8(pictureSets.count))
        for set in pictureSets { add(set) }
        if Self.highProfiles.contains(first[1]) {
            guard let format = Self.format(of: first) else { return nil }
            out += [0xfc | format.chroma, 0xf8 | format.lumaDepth, 0xf8 | format.chromaDepth, 0]
        }
        bytes = out
    }

    /// Reads chroma_format_idc and the bit depths minus 8 (ITU-T H.264 section 7.3.2.1.1).
    private static func format(of set: [UInt8]) -> (chroma: UInt8, lumaDepth: UInt8, chromaDepth: UInt8)? {
        var reader = BitReader(Self.withoutEmulationPrevention(set.dropFirst(4)))
        _ = reader.expGolomb()
        let chroma = reader.expGolomb()
        if chroma == 3 { _ = reader.flag() }
        let (luma, chromaDepth) = (reader.expGolomb(), reader.expGolomb())
        guard !reader.isPastEnd, chroma <= 3, luma <= 6, chromaDepth <= 6 else { return nil }
        return (UInt8(chroma), UInt8(luma), UInt8(chromaDepth))
    }

    /// Removes the bytes 3 that prevent start codes (ITU-T H.264 section 7.4.1.1).
    private static func withoutEmulationPrevention(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            out.append(byte)
        }
        return out
    }
}
