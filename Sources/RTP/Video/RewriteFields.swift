/// Numbers in a video payload that a rewrite may change, because they must continue without a gap for a receiver. Offsets count from the
/// first byte of the RTP payload; since no field is at offset 0, 0 means absent. VP8 (RFC 7741 section 4.2) and VP9 (RFC 9628 section 4.2)
/// have such numbers; H.264 and AV1 have none.
package struct RewriteFields: Sendable {
    /// Temporal layer of a packet without video data. Higher than every limit.
    package static let noLayer = UInt8.max

    package var pictureID: UInt16 = 0
    package var pictureIDOffset: UInt8 = 0
    package var pictureIDIsWide = false
    package var tl0Offset: UInt8 = 0
    package var tl0PictureIndex: UInt8 = 0
    /// Temporal layer; in a stream with dependency descriptors, the position in its `LayerOrder`.
    package var layer: UInt8 = 0
    /// One bit for each limit in the order of layers: a subscriber of the packet can change to this limit with the frame.
    package var switches: UInt8 = 0
    /// One bit for each limit: the packet is the last of its frame for a subscriber with this limit, which may lack the packet that the
    /// publisher marked.
    package var ends: UInt8 = 0

    package init() {}
}
