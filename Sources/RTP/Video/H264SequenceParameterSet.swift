/// Profile, level, format, frame size and order of an H.264 sequence parameter set (ITU-T H.264 sections 7.3.2.1.1 and 7.4.2.1.1, annex E).
package struct H264SequenceParameterSet: Hashable, Sendable {
    /// Maximum width and height in macroblocks of 16 pixels, and maximum number of macroblocks of a frame (table A-1, level 6.2).
    private static let maximumSide: UInt32 = 1_055
    private static let maximumArea: UInt32 = 139_264
    /// Profiles with `chroma_format_idc`.
    private static let highProfiles: [UInt8] = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]

    /// `profile_idc`.
    package let profile: UInt8
    /// `constraint_set0_flag` (highest bit) to `constraint_set5_flag`.
    package let constraints: UInt8
    /// `level_idc`: ten times the level.
    package let level: UInt8
    /// `chroma_format_idc`: 1 for 4:2:0, 0 without chroma.
    package let chromaFormat: UInt8
    /// Bits of a sample, 8...14: the larger of luma and chroma.
    package let bitDepth: UInt8
    /// `max_num_ref_frames`, 0...16.
    package let referenceFrames: UInt8
    /// Size in macroblocks of 16x16 pixels before cropping, at most 139,264.
    package let macroblocks: UInt32
    /// Size in pixels after cropping.
    package let width: UInt16
    package let height: UInt16
    /// Maximum number of frames that precede a frame in the order of decoding and follow it in that of display, which B frames need
    /// (`max_num_reorder_frames`), 0...16; nil if the set does not say.
    package let reorderedFrames: UInt8?

    /// - Parameter unit: NAL unit, header included, or its start.
    /// - Throws: `unexpected` if the NAL unit is of another type.
    package init(parsing unit: UnsafeRawBufferPointer) throws(RTPError) {
        guard unit.count >= 4 else { throw .truncated(.h264ParameterSet) }
        guard H264UnitType(header: unit[0]) == .sequenceParameterSet else { throw .unexpected(.h264ParameterSet) }
        profile = unit[1]
        constraints = unit[2]
        level = unit[3]
        var reader = BitReader(
            UnsafeRawBufferPointer(rebasing: unit[4...]), field: .h264ParameterSet, skipsEmulationPrevention: true)
        _ = try reader.exponentialGolomb(maximum: 31)
        let chroma =
            try Self.highProfiles.contains(profile)
            ? Self.readChroma(&reader) : Chroma(format: 1, bitDepth: 8, width: 2, height: 2)
        chromaFormat = chroma.format
        bitDepth = chroma.bitDepth
        // log2_max_frame_num_minus4
        _ = try reader.exponentialGolomb(maximum: 12)
        let orderCountType = try Self.readOrderCount(&reader)
        referenceFrames = UInt8(try reader.exponentialGolomb(maximum: 16))
        // gaps_in_frame_num_value_allowed_flag
        try reader.skip(1)
        let columns = try reader.exponentialGolomb(maximum: Self.maximumSide - 1) + 1
        let mapUnits = try reader.exponentialGolomb(maximum: Self.maximumSide - 1) + 1
        let isFrameOnly = try reader.flag()
        // A map unit of interlaced video has two macroblocks, one of each field.
        let rows = isFrameOnly ? mapUnits : 2 * mapUnits
        guard rows <= Self.maximumSide, columns * rows <= Self.maximumArea else { throw .invalid(.h264ParameterSet) }
        macroblocks = columns * rows
        // mb_adaptive_frame_field_flag, direct_8x8_inference_flag
        try reader.skip(isFrameOnly ? 1 : 2)
        var cropped: (columns: UInt32, rows: UInt32) = (0, 0)
        if try reader.flag() {
            let side = 16 * Self.maximumSide
            let left = try reader.exponentialGolomb(maximum: side)
            let right = try reader.exponentialGolomb(maximum: side)
            let top = try reader.exponentialGolomb(maximum: side)
            let bottom = try reader.exponentialGolomb(maximum: side)
            cropped = ((left + right) * chroma.width, (top + bottom) * chroma.height * (isFrameOnly ? 1 : 2))
        }
        guard cropped.columns < 16 * columns, cropped.rows < 16 * rows else { throw .invalid(.h264ParameterSet) }
        width = UInt16(16 * columns - cropped.columns)
        height = UInt16(16 * rows - cropped.rows)
        // Damaged usability information is no reason to refuse the stream. With order count type 2, frames are shown in the order of decoding
        // (section 8.2.1.3).
        reorderedFrames = orderCountType == 2 ? 0 : (try? H264UsabilityInformation(&reader)).flatMap(\.reorderedFrames)
    }

    /// Number of luma samples for each chroma sample, which is the unit of frame cropping; 1 without chroma.
    private struct Chroma {
        var format: UInt8
        var bitDepth: UInt8
        var width: UInt32
        var height: UInt32
    }

    /// Reads the fields of the high profiles, from `chroma_format_idc` to the scaling lists.
    private static func readChroma(_ reader: inout BitReader) throws(RTPError) -> Chroma {
        let format = try reader.exponentialGolomb(maximum: 3)
        let hasSeparatePlanes = try format == 3 ? reader.flag() : false
        // bit_depth_luma_minus8, bit_depth_chroma_minus8
        let depths = try (reader.exponentialGolomb(maximum: 6), reader.exponentialGolomb(maximum: 6))
        let bitDepth = UInt8(8 + max(depths.0, depths.1))
        // qpprime_y_zero_transform_bypass_flag
        try reader.skip(1)
        if try reader.flag() {
            for list in 0..<(format == 3 ? 12 : 8) {
                if try reader.flag() { try skipScalingList(&reader, count: list < 6 ? 16 : 64) }
            }
        }
        if hasSeparatePlanes { return Chroma(format: 3, bitDepth: bitDepth, width: 1, height: 1) }
        return Chroma(
            format: UInt8(format), bitDepth: bitDepth, width: format == 1 || format == 2 ? 2 : 1,
            height: format == 1 ? 2 : 1)
    }

    /// A list ends when the next scale is 0 (section 7.3.2.1.1.1).
    private static func skipScalingList(_ reader: inout BitReader, count: Int) throws(RTPError) {
        var last = 8
        for _ in 0..<count {
            let delta = try reader.signedExponentialGolomb()
            guard (-128...127).contains(delta) else { throw .invalid(.h264ParameterSet) }
            last = (last + delta + 256) % 256
            if last == 0 { return }
        }
    }

    /// Reads the fields from `pic_order_cnt_type`, which is returned, to `offset_for_ref_frame`.
    private static func readOrderCount(_ reader: inout BitReader) throws(RTPError) -> UInt32 {
        let type = try reader.exponentialGolomb(maximum: 2)
        switch type {
        case 0: _ = try reader.exponentialGolomb(maximum: 12)
        case 1:
            try reader.skip(1)
            _ = try reader.signedExponentialGolomb()
            _ = try reader.signedExponentialGolomb()
            for _ in 0..<(try reader.exponentialGolomb(maximum: 255)) { _ = try reader.signedExponentialGolomb() }
        default: break
        }
        return type
    }
}
