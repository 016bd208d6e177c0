extension VP8PayloadDescriptor {
    /// Maximum length of a descriptor in bytes.
    package static let maximumLength = 6

    /// Writes the descriptor. `pictureIDWidth` and `hasTL0PicIdx` decide whether PictureID and TL0PICIDX are present. An offset
    /// other than 0 only marks a field as present; this function computes its position.
    /// - Returns: the number of bytes written, at most `maximumLength`.
    /// - Precondition: `buffer` has at least `maximumLength` bytes.
    @discardableResult
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        precondition(buffer.count >= Self.maximumLength)
        let base = buffer.baseAddress.unsafelyUnwrapped
        let hasLayer = hasTemporalID || hasKeyIndex
        let extended = hasPictureID || hasTL0PicIdx || hasLayer
        var first = partitionID & 0x07
        if extended { first |= 0x80 }
        if nonReference { first |= 0x20 }
        if startOfPartition { first |= 0x10 }
        base.put(first, at: 0)
        guard extended else { return 1 }
        var flags: UInt8 = hasPictureID ? 0x80 : 0
        if hasTL0PicIdx { flags |= 0x40 }
        if hasTemporalID { flags |= 0x20 }
        if hasKeyIndex { flags |= 0x10 }
        base.put(flags, at: 1)
        var offset = 2
        if pictureIDWidth == 1 {
            base.put(UInt8(truncatingIfNeeded: pictureID & 0x7f), at: offset)
            offset += 1
        } else if hasPictureID {
            base.put(0x8000 | pictureID & 0x7fff, at: offset)
            offset += 2
        }
        if hasTL0PicIdx {
            base.put(tl0PicIdx, at: offset)
            offset += 1
        }
        if hasLayer {
            base.put((temporalID & 0x03) << 6 | (layerSync ? 0x20 : 0) | keyIndex & 0x1f, at: offset)
            offset += 1
        }
        return offset
    }

    /// Overwrites PictureID and TL0PICIDX in a copy of the payload that this descriptor was parsed from, without changing their
    /// widths. Absent fields stay absent.
    @inline(__always)
    package func patch(pictureID: UInt16, tl0PicIdx: UInt8, in payload: UnsafeMutableRawPointer) {
        if pictureIDWidth == 2 {
            payload.put(0x8000 | pictureID & 0x7fff, at: Int(pictureIDOffset))
        } else if pictureIDWidth == 1 {
            payload.put(UInt8(truncatingIfNeeded: pictureID & 0x7f), at: Int(pictureIDOffset))
        }
        if tl0PicIdxOffset != 0 {
            payload.put(tl0PicIdx, at: Int(tl0PicIdxOffset))
        }
    }

    /// Returns width and height in pixels from the key frame header (RFC 6386 section 9.1); nil if no key frame starts here or its
    /// header is truncated or damaged.
    /// - Parameter payload: the RTP payload that this descriptor was parsed from.
    package func keyFrameSize(in payload: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        guard isKeyFrameStart, headerLength <= payload.count else { return nil }
        return VP8FrameHeader.keyFrameSize(of: UnsafeRawBufferPointer(rebasing: payload[headerLength...]))
    }
}
