package import MediaBase
package import RTP

/// A media packet that came, for the first time and in the clear. Its payload is only valid during the call that hands it over.
package struct IncomingPacket {
    /// Number of the track in the offer: the place of its media section.
    package var track: Int
    /// Of that section.
    package var mid: MID
    package var kind: MediaKind
    /// As it was sent at first, where it came as a retransmission.
    package var header: RTPHeader
    /// Unwrapped.
    package var sequence: Int64
    package var payload: UnsafeRawBufferPointer
    package var extensions: RTPExtensionValues
    /// When its media was taken, on the clock of whoever did: as the packet says, else by the sender's reports; nil before the first.
    package var captured: NTPTime?
    /// It was asked for again.
    package var isRetransmission: Bool
}
