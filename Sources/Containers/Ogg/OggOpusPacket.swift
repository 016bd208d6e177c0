/// One Opus packet out of an Ogg stream.
public struct OggOpusPacket: Sendable {
    /// Samples at 48 kHz from the start of what is heard (pre-skip taken off: the first packets may be negative).
    public var timestamp: Int64
    /// Samples at 48 kHz that it decodes to.
    public var duration: Int
    /// Samples to cut from the end of what it decodes to (end trimming, RFC 7845 section 4.4).
    public var trimEnd: Int
    /// Samples that are missing before this packet.
    public var gapBefore: Int64
    /// Byte offset of the page it ends on.
    public var position: Int64
    public var bytes: [UInt8]
}
