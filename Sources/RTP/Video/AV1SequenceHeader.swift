/// Maximum frame size of an AV1 sequence header OBU (AV1 bitstream specification, section 5.5). Fields behind the size are not read.
package struct AV1SequenceHeader: Hashable, Sendable {
    /// `seq_profile`, 0...2.
    package let profile: UInt8
    /// `seq_level_idx[0]`.
    package let level: UInt8
    /// Size in pixels, at most 65,536.
    package let width: UInt32
    package let height: UInt32

    /// - Parameter obu: OBU with its header, or its start.
    /// - Throws: `unexpected` if the OBU is of another type.
    package init(parsing obu: UnsafeRawBufferPointer) throws(RTPError) {
        guard let first = obu.first else { throw .truncated(.av1SequenceHeader) }
        let header = AV1OBUHeader(first)
        guard header.type == .sequenceHeader, !header.isForbidden else { throw .unexpected(.av1SequenceHeader) }
        var offset = header.length
        guard offset <= obu.count else { throw .truncated(.av1SequenceHeader) }
        if header.hasSize { _ = try AV1Number.read(obu, &offset, field: .av1SequenceHeader) }
        var reader = BitReader(UnsafeRawBufferPointer(rebasing: obu[offset...]), field: .av1SequenceHeader)
        profile = UInt8(try reader.bits(3))
        guard profile <= 2 else { throw .invalid(.av1SequenceHeader) }
        // still_picture
        try reader.skip(1)
        let isReduced = try reader.flag()
        level = try isReduced ? UInt8(reader.bits(5)) : Self.readOperatingPoints(&reader)
        let widthBits = Int(try reader.bits(4)) + 1
        let heightBits = Int(try reader.bits(4)) + 1
        width = try reader.bits(widthBits) + 1
        height = try reader.bits(heightBits) + 1
    }

    /// Reads the fields from `timing_info_present_flag` to the operating points.
    /// - Returns: `seq_level_idx[0]`.
    private static func readOperatingPoints(_ reader: inout BitReader) throws(RTPError) -> UInt8 {
        // Bits of each of the buffer delays; nil without decoder model.
        var delayBits: Int?
        if try reader.flag() {
            // num_units_in_display_tick, time_scale
            try reader.skip(64)
            if try reader.flag() { _ = try reader.prefixedNumber() }
            if try reader.flag() {
                delayBits = Int(try reader.bits(5)) + 1
                // num_units_in_decoding_tick, buffer_removal_time_length_minus_1, frame_presentation_time_length_minus_1
                try reader.skip(42)
            }
        }
        let hasDisplayDelays = try reader.flag()
        var level: UInt8 = 0
        for point in 0...(try reader.bits(5)) {
            // operating_point_idc
            try reader.skip(12)
            let pointLevel = UInt8(try reader.bits(5))
            if point == 0 { level = pointLevel }
            // seq_tier
            if pointLevel > 7 { try reader.skip(1) }
            // decoder_buffer_delay, encoder_buffer_delay, low_delay_mode_flag
            if let delayBits, try reader.flag() { try reader.skip(2 * delayBits + 1) }
            if hasDisplayDelays, try reader.flag() { try reader.skip(4) }
        }
        return level
    }
}
