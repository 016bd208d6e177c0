/// Start of the uncompressed header of a VP9 frame (VP9 bitstream specification, section 6.2): whether it is a key frame, and its size.
package struct VP9FrameHeader: Hashable, Sendable {
    package let isKeyFrame: Bool
    /// Size in pixels; 0 if this is not a key frame.
    package let width: UInt32
    package let height: UInt32

    /// - Parameter frame: encoded frame, or its start.
    package init(parsing frame: UnsafeRawBufferPointer) throws(RTPError) {
        var reader = BitReader(frame, field: .vp9FrameHeader)
        guard try reader.bits(2) == 2 else { throw .invalid(.vp9FrameHeader) }
        let low = try reader.bits(1)
        let profile = try reader.bits(1) << 1 | low
        if profile == 3, try reader.flag() { throw .invalid(.vp9FrameHeader) }
        // show_existing_frame: the header has only an index.
        let showsEarlierFrame = try reader.flag()
        isKeyFrame = try showsEarlierFrame ? false : !reader.flag()
        guard isKeyFrame else {
            width = 0
            height = 0
            return
        }
        // show_frame, error_resilient_mode
        try reader.skip(2)
        guard try reader.bits(24) == 0x49_8342 else { throw .invalid(.vp9FrameHeader) }
        // ten_or_twelve_bit
        if profile >= 2 { try reader.skip(1) }
        let isRGB = try reader.bits(3) == 7
        // color_range
        if !isRGB { try reader.skip(1) }
        // subsampling_x and subsampling_y, which RGB does not have, and a reserved bit.
        if profile & 1 != 0 { try reader.skip(isRGB ? 1 : 3) }
        width = try reader.bits(16) + 1
        height = try reader.bits(16) + 1
    }
}
