package import MediaBase

/// A complete encoded frame, assembled from its packets.
package struct VideoFrame: Sendable {
    package var codec: VideoCodec
    /// Encoded bytes in the form of the codec's decoders: a VP8 frame (RFC 6386), one or more VP9 frames of one timestamp, the NAL units of
    /// an H.264 access unit, or the OBUs of an AV1 temporal unit (`FrameDepacketizer`).
    package var bytes: [UInt8]
    /// Unwrapped RTP timestamp, 90 kHz.
    package var timestamp: Int64
    package var isKeyFrame: Bool
    /// Size in pixels that the packets of a key frame state; 0 if they state none. Always 0 for VP8.
    package var width = 0
    package var height = 0
    /// True if no other frame refers to this one.
    package var isNonReference: Bool
    /// 7 or 15 bits; nil if the sender sets none.
    package var pictureID: UInt16?
    /// 0...3; nil if the sender sets none.
    package var temporalID: UInt8?
    /// Extended sequence numbers of the frame's packets.
    package var sequences: ClosedRange<Int64>
    /// Clockwise rotation that the receiver applies before display.
    package var rotation: Rotation
    /// Arrival time of the frame's first packet.
    package var arrival: MediaTime
}
