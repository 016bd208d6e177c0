package import MediaBase

/// One encoded frame or packet of a recorded file.
package struct EncodedPacket: Sendable {
    package var kind: MediaKind
    /// Presentation time of the first frame or sample, from the file's time zero; decoder delay is subtracted.
    package var time: MediaTime
    package var isKeyFrame: Bool
    /// Samples at 48 kHz to cut from the end of the decoded packet.
    package var trimEnd = 0
    /// Byte offset in the file.
    package var position: Int64
    package var bytes: [UInt8]
}
