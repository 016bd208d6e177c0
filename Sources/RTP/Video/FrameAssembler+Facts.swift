import MediaBase

extension FrameAssembler {
    /// Properties of a packet that the assembly needs.
    struct Facts {
        var isFrameStart = false
        var isKeyFrameStart = false
        var isNonReference = false
        /// PictureID, and the length of its field in bytes: 1 or 2.
        var pictureID: (id: UInt16, width: UInt8)?
        var temporalID: UInt8?
        /// VP8: bytes of the descriptor.
        var headerLength = 0
        /// Size in pixels that the packet states; 0 if it states none.
        var width = 0
        var height = 0
    }

    /// Returns the facts of a packet; nil if they cannot be read.
    static func facts(of packet: Packet, _ codec: VideoCodec, _ reader: inout FrameReader) -> Facts? {
        guard !packet.payload.isEmpty else { return nil }
        var out = Facts()
        return packet.payload.withUnsafeBytes { payload in
            guard codec == .vp8 else {
                guard let facts = try? reader.read(payload, timestamp: packet.timestamp) else { return nil }
                out.isFrameStart = facts.isFrameStart || facts.isKeyFrameStart
                out.isKeyFrameStart = facts.isKeyFrameStart
                if facts.fields.pictureIDOffset > 0 {
                    out.pictureID = (facts.fields.pictureID, facts.fields.pictureIDIsWide ? 2 : 1)
                }
                out.temporalID = facts.fields.layer
                out.width = Int(facts.width)
                out.height = Int(facts.height)
                return out
            }
            guard let descriptor = try? VP8PayloadDescriptor(parsing: payload) else { return nil }
            out.isFrameStart = descriptor.isFrameStart
            out.isKeyFrameStart = descriptor.isKeyFrameStart
            out.isNonReference = descriptor.nonReference
            if descriptor.hasPictureID { out.pictureID = (descriptor.pictureID, descriptor.pictureIDWidth) }
            if descriptor.hasTemporalID { out.temporalID = descriptor.temporalID }
            out.headerLength = descriptor.headerLength
            return out
        }
    }
}
