package import MediaBase

/// Reads the facts that forwarding needs from the packets of one video stream. An enum of the codecs instead of an existential: it is used
/// for each packet, and allocates nothing.
package enum FrameReader: Sendable {
    case vp8
    case h264(H264Reader)
    case vp9(VP9Reader)
    case av1(AV1Reader)

    package init(_ codec: VideoCodec) {
        switch codec {
        case .vp8: self = .vp8
        case .h264: self = .h264(H264Reader())
        case .vp9: self = .vp9(VP9Reader())
        case .av1: self = .av1(AV1Reader())
        }
    }

    /// Whether dependency descriptors tell the layers of packets. VP8 states its layers in each payload.
    package var readsDescriptors: Bool {
        switch self {
        case .vp8: false
        case .h264, .vp9, .av1: true
        }
    }

    /// Whether a stream of the codec can have spatial layers.
    package var canHaveSpatialLayers: Bool {
        switch self {
        case .vp8, .h264: false
        case .vp9, .av1: true
        }
    }

    /// Reads one packet, in the order of arrival.
    /// - Parameters:
    ///   - payload: RTP payload without padding; not empty.
    ///   - timestamp: RTP timestamp, unwrapped.
    package mutating func read(_ payload: UnsafeRawBufferPointer, timestamp: Int64) throws(RTPError) -> FrameFacts {
        switch self {
        case .vp8: return try Self.readVP8(payload)
        case .h264(var reader):
            defer { self = .h264(reader) }
            return try reader.read(payload, timestamp: timestamp)
        case .vp9(var reader):
            defer { self = .vp9(reader) }
            return try reader.read(payload)
        case .av1(var reader):
            defer { self = .av1(reader) }
            return try reader.read(payload, timestamp: timestamp)
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
        facts.fields.layer = descriptor.temporalID
        facts.numberedLayer = descriptor.temporalID
        facts.isFrameStart = descriptor.isFrameStart
        facts.isLayerSync = descriptor.hasTemporalID && descriptor.layerSync
        if descriptor.isKeyFrameStart {
            facts.isKeyFrameStart = true
            let frame = UnsafeRawBufferPointer(rebasing: payload[descriptor.headerLength...])
            if let size = VP8FrameHeader.keyFrameSize(of: frame), size.width > 0, size.height > 0 {
                facts.width = UInt16(size.width)
                facts.height = UInt16(size.height)
            }
        }
        return facts
    }
}
