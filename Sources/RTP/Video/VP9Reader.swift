/// Reads the facts of VP9 packets (RFC 9628).
package struct VP9Reader: Sendable {
    /// Highest temporal layer that forwarding distinguishes. Higher ones, which the descriptor allows, are treated as this layer.
    private static let highestLayer: UInt8 = 3

    /// A packet had the P bit set. FFmpeg's packetizer never sets it, so that each frame of it seems to be a key frame.
    private var setsInterPrediction = false

    package init() {}

    package mutating func read(_ payload: UnsafeRawBufferPointer) throws(RTPError) -> FrameFacts {
        let descriptor = try VP9PayloadDescriptor(parsing: payload)
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
        facts.fields.layer = min(descriptor.temporalID, Self.highestLayer)
        facts.spatialLayer = descriptor.spatialID
        facts.isFrameStart = descriptor.isFrameStart
        facts.isLayerSync = descriptor.isSwitchingUpPoint
        if descriptor.isInterPredicted { setsInterPrediction = true }
        guard descriptor.isFrameStart, !descriptor.isInterPredicted else { return facts }
        let header = try? VP9FrameHeader(
            parsing: UnsafeRawBufferPointer(rebasing: payload[descriptor.headerLength...]))
        // The header of a frame that is encrypted end to end cannot be read; then only the P bit counts.
        facts.isKeyFrameStart = setsInterPrediction || header?.isKeyFrame ?? true
        guard facts.isKeyFrameStart else { return facts }
        if descriptor.width > 0, descriptor.height > 0 {
            facts.width = descriptor.width
            facts.height = descriptor.height
        } else if let header {
            facts.width = UInt16(clamping: header.width)
            facts.height = UInt16(clamping: header.height)
        }
        return facts
    }
}
