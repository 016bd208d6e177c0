/// An Opus packet of an Ogg stream.
public struct OggOpusPacket: Sendable {
    /// Time in samples at 48 kHz from the first audible sample. Negative for packets within the pre-skip.
    public var timestamp: Int64
    /// Decoded samples at 48 kHz.
    public var duration: Int
    /// Samples to cut from the end of the decoded packet (end trimming, RFC 7845 section 4.4).
    public var trimEnd: Int
    /// Number of samples missing before this packet.
    public var gapBefore: Int64
    /// Byte offset of the page that the packet ends on.
    public var position: Int64
    public var bytes: [UInt8]
}
