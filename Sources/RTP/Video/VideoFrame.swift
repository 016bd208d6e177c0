package import MediaBase

/// A complete encoded VP8 frame, assembled from its packets.
package struct VideoFrame: Sendable {
    /// Encoded bytes, as a decoder takes them (RFC 6386).
    package var bytes: [UInt8]
    /// Unwrapped RTP timestamp, 90 kHz.
    package var timestamp: Int64
    package var isKeyFrame: Bool
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
