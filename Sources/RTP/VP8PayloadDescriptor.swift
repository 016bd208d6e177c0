/// VP8 payload descriptor (RFC 7741 section 4.2), the offsets of its fields, and whether a key frame starts here. Plain integers
/// only: parsing allocates nothing. Offsets are bytes from the start of the RTP payload.
///
///          0 1 2 3 4 5 6 7
///         +-+-+-+-+-+-+-+-+
///         |X|R|N|S|R| PID | required
///         +-+-+-+-+-+-+-+-+
///     X:  |I|L|T|K| RSV   |
///         +-+-+-+-+-+-+-+-+
///     I:  |M| PictureID   |
///         +-+-+-+-+-+-+-+-+
///     M:  |   PictureID   |
///         +-+-+-+-+-+-+-+-+
///     L:  |   TL0PICIDX   |
///         +-+-+-+-+-+-+-+-+
///     T/K:|TID|Y| KEYIDX  |
///         +-+-+-+-+-+-+-+-+
package struct VP8PayloadDescriptor: Hashable, Sendable {
    /// N: no other frame refers to this one.
    package var nonReference: Bool
    /// S: the first byte of the payload starts a partition.
    package var startOfPartition: Bool
    /// PID, 0...7.
    package var partitionID: UInt8
    /// PictureID, 7 or 15 bits; meaningful if `pictureIDWidth` is not 0.
    package var pictureID: UInt16
    /// Offset of PictureID; its first bit is M.
    package var pictureIDOffset: UInt8
    /// Bytes of PictureID: 0 (absent), 1 (7 bits) or 2 (15 bits).
    package var pictureIDWidth: UInt8
    /// Running index of base-layer frames; meaningful if `tl0PicIdxOffset` is not 0.
    package var tl0PicIdx: UInt8
    /// Offset of TL0PICIDX; 0 if absent.
    package var tl0PicIdxOffset: UInt8
    /// T: `temporalID` and `layerSync` are present.
    package var hasTemporalID: Bool
    /// TID, 0...3.
    package var temporalID: UInt8
    /// Y: the frame depends on no frame above the base layer.
    package var layerSync: Bool
    /// K: `keyIndex` is present.
    package var hasKeyIndex: Bool
    /// KEYIDX, 0...31.
    package var keyIndex: UInt8
    /// Bytes of the descriptor; the VP8 payload starts here.
    package var headerLength: Int
    /// The first packet of a key frame: S is set, PID is 0 and the VP8 payload header's P bit is 0 (section 4.3).
    package var isKeyFrameStart: Bool

    package var hasPictureID: Bool { pictureIDWidth != 0 }
    package var hasTL0PicIdx: Bool { tl0PicIdxOffset != 0 }
    /// The first packet of a frame.
    package var isFrameStart: Bool { startOfPartition && partitionID == 0 }

    /// Creates a descriptor for writing.
    package init(startOfPartition: Bool, nonReference: Bool = false) {
        self.nonReference = nonReference
        self.startOfPartition = startOfPartition
        partitionID = 0
        pictureID = 0
        pictureIDOffset = 0
        pictureIDWidth = 0
        tl0PicIdx = 0
        tl0PicIdxOffset = 0
        hasTemporalID = false
        temporalID = 0
        layerSync = false
        hasKeyIndex = false
        keyIndex = 0
        headerLength = 1
        isKeyFrameStart = false
    }

    /// Parses the descriptor at the start of an RTP payload. Throws if nothing follows the descriptor: every VP8 packet carries at
    /// least one byte of the frame.
    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        let count = payload.count
        guard count >= 1, let base = payload.baseAddress else { throw .truncated(.vp8Descriptor) }
        let first = base.u8(0)
        self.init(startOfPartition: first & 0x10 != 0, nonReference: first & 0x20 != 0)
        partitionID = first & 0x07
        var offset = 1
        if first & 0x80 != 0 {
            guard count > offset else { throw .truncated(.vp8Descriptor) }
            let flags = base.u8(offset)
            offset &+= 1
            if flags & 0x80 != 0 {
                guard count > offset else { throw .truncated(.vp8Descriptor) }
                let high = base.u8(offset)
                pictureIDOffset = UInt8(truncatingIfNeeded: offset)
                if high & 0x80 != 0 {
                    guard count > offset &+ 1 else { throw .truncated(.vp8Descriptor) }
                    pictureID = base.u16(offset) & 0x7fff
                    pictureIDWidth = 2
                    offset &+= 2
                } else {
                    pictureID = UInt16(high)
                    pictureIDWidth = 1
                    offset &+= 1
                }
            }
            if flags & 0x40 != 0 {
                guard count > offset else { throw .truncated(.vp8Descriptor) }
                tl0PicIdxOffset = UInt8(truncatingIfNeeded: offset)
                tl0PicIdx = base.u8(offset)
                offset &+= 1
            }
            if flags & 0x30 != 0 {
                guard count > offset else { throw .truncated(.vp8Descriptor) }
                let layer = base.u8(offset)
                offset &+= 1
                if flags & 0x20 != 0 {
                    hasTemporalID = true
                    temporalID = layer >> 6
                    layerSync = layer & 0x20 != 0
                }
                if flags & 0x10 != 0 {
                    hasKeyIndex = true
                    keyIndex = layer & 0x1f
                }
            }
        }
        guard count > offset else { throw .truncated(.vp8Payload) }
        headerLength = offset
        isKeyFrameStart = isFrameStart && base.u8(offset) & 0x01 == 0
    }
}
