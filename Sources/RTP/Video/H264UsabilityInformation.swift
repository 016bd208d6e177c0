/// Order of frames in the video usability information at the end of an H.264 sequence parameter set (VUI, ITU-T H.264 section E.1.1).
struct H264UsabilityInformation {
    /// `aspect_ratio_idc` of a ratio that is stated by two numbers.
    private static let extendedRatio: UInt32 = 255

    /// `max_num_reorder_frames`, 0...16; nil if the set does not say.
    let reorderedFrames: UInt8?

    /// - Parameter reader: behind the frame cropping, at `vui_parameters_present_flag`.
    init(_ reader: inout BitReader) throws(RTPError) {
        guard try reader.flag() else {
            reorderedFrames = nil
            return
        }
        // Aspect ratio
        if try reader.flag(), try reader.bits(8) == Self.extendedRatio { try reader.skip(32) }
        // Overscan
        if try reader.flag() { try reader.skip(1) }
        // Video format and range, colours
        if try reader.flag() {
            try reader.skip(4)
            if try reader.flag() { try reader.skip(24) }
        }
        // Location of chroma samples
        if try reader.flag() { for _ in 0..<2 { _ = try reader.prefixedNumber() } }
        // Timing
        if try reader.flag() { try reader.skip(65) }
        var hasDecoderModel = false
        for _ in 0..<2 where try reader.flag() {
            hasDecoderModel = true
            try Self.skipDecoderModel(&reader)
        }
        // low_delay_hrd_flag
        if hasDecoderModel { try reader.skip(1) }
        // pic_struct_present_flag
        try reader.skip(1)
        // bitstream_restriction_flag
        guard try reader.flag() else {
            reorderedFrames = nil
            return
        }
        // motion_vectors_over_pic_boundaries_flag, max_bytes_per_pic_denom to log2_max_mv_length_vertical
        try reader.skip(1)
        for _ in 0..<4 { _ = try reader.prefixedNumber() }
        reorderedFrames = UInt8(try reader.exponentialGolomb(maximum: 16))
    }

    /// Skips `hrd_parameters()` (section E.1.2).
    private static func skipDecoderModel(_ reader: inout BitReader) throws(RTPError) {
        let count = try reader.exponentialGolomb(maximum: 31) + 1
        try reader.skip(8)
        for _ in 0..<count {
            for _ in 0..<2 { _ = try reader.prefixedNumber() }
            try reader.skip(1)
        }
        try reader.skip(20)
    }
}
