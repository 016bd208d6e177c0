package import MediaBase
package import RTP

/// A media packet that came, for the first time and in the clear. Its payload is only valid during the call that hands it over.
package struct IncomingPacket {
    /// Number of the track in the offer.
    package var track: Int
    package var kind: MediaKind
    /// As it was sent at first, where it came as a retransmission.
    package var header: RTPHeader
    /// Unwrapped.
    package var sequence: Int64
    package var payload: UnsafeRawBufferPointer
    package var extensions: RTPExtensionValues
    /// It was asked for again.
    package var isRetransmission: Bool
}
