package import MediaBase

/// One whole encoded VP8 frame, put together from its packets.
package struct VP8Frame: Sendable {
    /// What a decoder takes (RFC 6386).
    package var bytes: [UInt8]
    /// Unwrapped RTP timestamp, 90 kHz.
    package var timestamp: Int64
    package var isKeyFrame: Bool
    /// No other frame refers to this one.
    package var isNonReference: Bool
    /// 7 or 15 bits; nil when the sender gives none.
    package var pictureID: UInt16?
    /// 0...3; nil when the sender gives none.
    package var temporalID: UInt8?
    /// Extended sequence numbers of its packets.
    package var sequences: ClosedRange<Int64>
    /// Clockwise rotation that it needs before it is shown.
    package var rotation: Rotation
    /// When its first packet came.
    package var arrival: MediaTime
}
