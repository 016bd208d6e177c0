package import MediaBase
package import RTP

/// A decrypted media packet that arrived for the first time. Its payload is only valid during the call that delivers it.
package struct IncomingPacket {
    /// Index of the track in the offer: the position of its media section.
    package var track: Int
    /// Identification of that section.
    package var mid: MID
    package var kind: MediaKind
    /// Codec of video; nil for audio.
    package var codec: VideoCodec?
    /// Header of the original packet, also if it arrived as a retransmission.
    package var header: RTPHeader
    /// Unwrapped sequence number.
    package var sequence: Int64
    package var payload: UnsafeRawBufferPointer
    package var extensions: RTPExtensionValues
    /// Capture time of the media, on the capturer's clock: from the packet's extension, else from sender reports; nil before the
    /// first report.
    package var captured: NTPTime?
    /// True if the packet arrived as a retransmission.
    package var isRetransmission: Bool
}
