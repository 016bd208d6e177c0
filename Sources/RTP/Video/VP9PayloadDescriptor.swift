/// VP9 payload descriptor (RFC 9628 section 4.2) and the offsets of its fields. Plain integers only: parsing allocates nothing. Offsets are
/// bytes from the start of the RTP payload.
///
///          0 1 2 3 4 5 6 7
///         +-+-+-+-+-+-+-+-+
///         |I|P|L|F|B|E|V|Z| required
///         +-+-+-+-+-+-+-+-+
///     I:  |M| PictureID   |
///         +-+-+-+-+-+-+-+-+
///     M:  | PictureID     |
///         +-+-+-+-+-+-+-+-+
///     L:  | TID |U| SID |D|
///         +-+-+-+-+-+-+-+-+
///     L:  |   TL0PICIDX   | if F is 0
///         +-+-+-+-+-+-+-+-+
///     P,F:| P_DIFF      |N| one to three times, N: another one follows
///         +-+-+-+-+-+-+-+-+
///     V:  | scalability structure ...
///         +-+-+-+-+-+-+-+-+
package struct VP9PayloadDescriptor: Hashable, Sendable {
    /// Maximum number of reference indices (P_DIFF) of a frame.
    package static let maximumReferences = 3

    /// P: the frame is predicted from earlier frames.
    package var isInterPredicted = false
    /// F: the references of the frame are stated by P_DIFF.
    package var isFlexible = false
    /// B: the first packet of a frame of one spatial layer.
    package var startsLayerFrame = false
    /// E: the last packet of a frame of one spatial layer.
    package var endsLayerFrame = false
    /// Z: no higher spatial layer refers to this frame.
    package var isNotReferenceForHigherLayers = false
    /// PictureID, 7 or 15 bits; meaningful if `pictureIDWidth` is not 0.
    package var pictureID: UInt16 = 0
    /// Offset of PictureID; its first bit is M.
    package var pictureIDOffset: UInt8 = 0
    /// Bytes of PictureID: 0 (absent), 1 (7 bits) or 2 (15 bits).
    package var pictureIDWidth: UInt8 = 0
    /// L: the layer indices are present.
    package var hasLayers = false
    /// TID, 0...7.
    package var temporalID: UInt8 = 0
    /// U: switching up to this temporal layer is possible at this frame.
    package var isSwitchingUpPoint = false
    /// SID, 0...7.
    package var spatialID: UInt8 = 0
    /// D: the frame depends on the next lower spatial layer of the same time.
    package var dependsOnLowerLayer = false
    /// Running index of base-layer frames; meaningful if `tl0PicIdxOffset` is not 0.
    package var tl0PicIdx: UInt8 = 0
    /// Offset of TL0PICIDX; 0 if absent.
    package var tl0PicIdxOffset: UInt8 = 0
    /// Number of spatial layers in the scalability structure; 0 if it is absent.
    package var spatialLayers: UInt8 = 0
    /// Width and height of the highest spatial layer in pixels, of the scalability structure; 0 if it does not state them.
    package var width: UInt16 = 0
    package var height: UInt16 = 0
    /// Bytes of the descriptor; the VP9 payload starts here.
    package var headerLength = 1

    package var hasPictureID: Bool { pictureIDWidth != 0 }
    package var hasTL0PicIdx: Bool { tl0PicIdxOffset != 0 }
    /// The first packet of a frame, with all its spatial layers.
    package var isFrameStart: Bool { startsLayerFrame && spatialID == 0 }

    /// Parses the descriptor at the start of an RTP payload. Throws if nothing follows the descriptor.
    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        let count = payload.count
        guard count >= 1, let base = payload.baseAddress else { throw .truncated(.vp9Descriptor) }
        let first = base.u8(0)
        isInterPredicted = first & 0x40 != 0
        hasLayers = first & 0x20 != 0
        isFlexible = first & 0x10 != 0
        startsLayerFrame = first & 0x08 != 0
        endsLayerFrame = first & 0x04 != 0
        isNotReferenceForHigherLayers = first & 0x01 != 0
        var offset = 1
        if first & 0x80 != 0 {
            guard count > offset else { throw .truncated(.vp9Descriptor) }
            let high = base.u8(offset)
            pictureIDOffset = UInt8(truncatingIfNeeded: offset)
            if high & 0x80 != 0 {
                guard count > offset &+ 1 else { throw .truncated(.vp9Descriptor) }
                pictureID = base.u16(offset) & 0x7fff
                pictureIDWidth = 2
                offset &+= 2
            } else {
                pictureID = UInt16(high)
                pictureIDWidth = 1
                offset &+= 1
            }
        } else if isFlexible {
            // References are differences of PictureIDs.
            throw .invalid(.vp9Descriptor)
        }
        if hasLayers {
            guard count > offset else { throw .truncated(.vp9Descriptor) }
            let layer = base.u8(offset)
            offset &+= 1
            temporalID = layer >> 5
            isSwitchingUpPoint = layer & 0x10 != 0
            spatialID = layer >> 1 & 0x07
            dependsOnLowerLayer = layer & 0x01 != 0
            if !isFlexible {
                guard count > offset else { throw .truncated(.vp9Descriptor) }
                tl0PicIdxOffset = UInt8(truncatingIfNeeded: offset)
                tl0PicIdx = base.u8(offset)
                offset &+= 1
            }
        }
        if isFlexible, isInterPredicted {
            var references = 0
            var hasMore = true
            while hasMore {
                guard references < Self.maximumReferences else { throw .invalid(.vp9Descriptor) }
                guard count > offset else { throw .truncated(.vp9Descriptor) }
                hasMore = base.u8(offset) & 0x01 != 0
                offset &+= 1
                references &+= 1
            }
        }
        if first & 0x02 != 0 { try readScalability(payload, base, &offset) }
        guard count > offset else { throw .truncated(.vp9Payload) }
        headerLength = offset
    }

    /// Reads the scalability structure (section 4.2.1).
    ///
    ///         +-+-+-+-+-+-+-+-+
    ///         | N_S |Y|G|  -  |
    ///         +-+-+-+-+-+-+-+-+
    ///     Y:  | width, height | 16 bits each, N_S + 1 times
    ///         +-+-+-+-+-+-+-+-+
    ///     G:  |      N_G      |
    ///         +-+-+-+-+-+-+-+-+
    ///     G:  | TID |U| R | - | N_G times, each followed by R bytes P_DIFF
    ///         +-+-+-+-+-+-+-+-+
    private mutating func readScalability(
        _ payload: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, _ offset: inout Int
    ) throws(RTPError) {
        let count = payload.count
        guard count > offset else { throw .truncated(.vp9Scalability) }
        let flags = base.u8(offset)
        offset &+= 1
        spatialLayers = (flags >> 5) &+ 1
        if flags & 0x10 != 0 {
            let length = 4 * Int(spatialLayers)
            guard count &- offset >= length else { throw .truncated(.vp9Scalability) }
            offset &+= length
            width = base.u16(offset &- 4)
            height = base.u16(offset &- 2)
        }
        guard flags & 0x08 != 0 else { return }
        guard count > offset else { throw .truncated(.vp9Scalability) }
        let frames = base.u8(offset)
        offset &+= 1
        for _ in 0..<frames {
            guard count > offset else { throw .truncated(.vp9Scalability) }
            let references = Int(base.u8(offset) >> 2 & 0x03)
            offset &+= 1
            guard count &- offset >= references else { throw .truncated(.vp9Scalability) }
            offset &+= references
        }
    }
}
