package import MediaBase

/// Reads the facts that forwarding needs from the packets of one video stream. An enum of the codecs instead of an existential: it is used
/// for each packet, and allocates nothing.
package enum FrameReader: Sendable {
    case vp8

    package init(_ codec: VideoCodec) {
        switch codec {
        case .vp8, .h264, .vp9, .av1: self = .vp8
        }
    }

    /// Reads one packet, in the order of arrival.
    /// - Parameters:
    ///   - payload: RTP payload without padding; not empty.
    ///   - timestamp: RTP timestamp, unwrapped.
    package mutating func read(_ payload: UnsafeRawBufferPointer, timestamp: Int64) throws(RTPError) -> FrameFacts {
        switch self {
        case .vp8: try Self.readVP8(payload)
        }
    }

    private static func readVP8(_ payload: UnsafeRawBufferPointer) throws(RTPError) -> FrameFacts {
        let descriptor = try VP8PayloadDescriptor(parsing: payload)
        var facts = FrameFacts()
        if descriptor.hasPictureID {
            facts.fields.pictureID = descriptor.pictureID
            facts.fields.pictureIDOffset = descriptor.pictureIDOffset
            facts.fields.pictureIDIsWide = descriptor.pictureIDWidth == 2
        }
        if descriptor.hasTL0PicIdx {
            facts.fields.tl0PictureIndex = descriptor.tl0PicIdx
            facts.fields.tl0Offset = descriptor.tl0PicIdxOffset
        }
        facts.fields.temporalLayer = descriptor.temporalID
        facts.isFrameStart = descriptor.isFrameStart
        facts.isLayerSync = descriptor.hasTemporalID && descriptor.layerSync
        if descriptor.isKeyFrameStart {
            facts.isKeyFrameStart = true
            let frame = UnsafeRawBufferPointer(rebasing: payload[descriptor.headerLength...])
            if let size = VP8FrameHeader.keyFrameSize(of: frame) {
                facts.width = UInt16(size.width)
                facts.height = UInt16(size.height)
            }
        }
        return facts
    }
}
