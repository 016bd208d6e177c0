/// Sequence header of an AV1 stream (AV1 bitstream specification section 5.5), and CodecPrivate of its track: AV1CodecConfigurationRecord
/// (AV1 codec ISO media file format binding, section 2.3).
public struct AV1Configuration: Hashable, Sendable {
    /// Largest frame size in pixels.
    public let width: Int
    public let height: Int
    /// The record, with the sequence header at its end.
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - header: payload of the sequence header OBU.
    ///   - unit: the whole OBU, with its size field.
    /// - Returns: nil if the header is truncated.
    public init?(sequenceHeader header: [UInt8], unit: [UInt8]) {
        var reader = BitReader(header)
        let profile = reader.read(3)
        _ = reader.flag()
        let isReduced = reader.flag()
        let point = isReduced ? (level: reader.read(5), tier: 0) : Self.operatingPoint(&reader)
        let (widthBits, heightBits) = (reader.read(4) + 1, reader.read(4) + 1)
        width = reader.read(widthBits) + 1
        height = reader.read(heightBits) + 1
        Self.skipTools(isReduced: isReduced, &reader)
        let color = Self.color(profile: profile, &reader)
        guard !reader.isPastEnd, profile <= 2 else { return nil }
        bytes = [0x81, UInt8(profile << 5 | point.level), UInt8(point.tier << 7) | color, 0] + unit
    }

    /// Reads timing and operating points; returns level and tier of the first one.
    private static func operatingPoint(_ reader: inout BitReader) -> (level: Int, tier: Int) {
        var delayLength: Int?
        if reader.flag() {
            _ = (reader.read(32), reader.read(32))
            if reader.flag() { _ = reader.expGolomb() }
            if reader.flag() {
                delayLength = reader.read(5) + 1
                _ = (reader.read(32), reader.read(5), reader.read(5))
            }
        }
        let hasDisplayDelay = reader.flag()
        var first = (level: 0, tier: 0)
        for index in 0...reader.read(5) {
            _ = reader.read(12)
            let level = reader.read(5)
            let tier = level > 7 ? reader.read(1) : 0
            if index == 0 { first = (level, tier) }
            if let delayLength, reader.flag() {
                _ = (reader.read(delayLength), reader.read(delayLength), reader.flag())
            }
            if hasDisplayDelay, reader.flag() { _ = reader.read(4) }
        }
        return first
    }

    /// Skips the fields from frame numbers to loop restoration.
    private static func skipTools(isReduced: Bool, _ reader: inout BitReader) {
        if !isReduced, reader.flag() { _ = reader.read(7) }
        _ = reader.read(3)
        if !isReduced {
            _ = reader.read(4)
            let hasOrderHint = reader.flag()
            if hasOrderHint { _ = reader.read(2) }
            // seq_choose_screen_content_tools; without it, seq_force_screen_content_tools.
            let hasScreenTools = reader.flag() || reader.flag()
            if hasScreenTools, !reader.flag() { _ = reader.flag() }
            if hasOrderHint { _ = reader.read(3) }
        }
        _ = reader.read(3)
    }

    /// Reads color_config (section 5.5.2); returns the record's third byte without the tier.
    private static func color(profile: Int, _ reader: inout BitReader) -> UInt8 {
        let isHigh = reader.flag()
        let isTwelve = profile == 2 && isHigh && reader.flag()
        let isMonochrome = profile != 1 && reader.flag()
        let description = reader.flag() ? [reader.read(8), reader.read(8), reader.read(8)] : [2, 2, 2]
        var subsampling = (x: 1, y: 1)
        var samplePosition = 0
        if isMonochrome {
            _ = reader.flag()
        } else if description == [1, 13, 0] {
            // sRGB is not subsampled.
            subsampling = (0, 0)
        } else {
            _ = reader.flag()
            switch profile {
            case 0: break
            case 1: subsampling = (0, 0)
            default:
                subsampling.x = isTwelve ? reader.read(1) : 1
                subsampling.y = isTwelve && subsampling.x == 1 ? reader.read(1) : 0
            }
            if subsampling == (1, 1) { samplePosition = reader.read(2) }
        }
        let bits =
            (isHigh ? 0x40 : 0) | (isTwelve ? 0x20 : 0) | (isMonochrome ? 0x10 : 0) | subsampling.x << 3
            | subsampling.y << 2 | samplePosition
        return UInt8(bits)
    }
}
