package import MediaBase

/// One encoded frame or packet out of a recorded file.
package struct EncodedPacket: Sendable {
    package var kind: MediaKind
    /// When its first picture or sample is to be presented, from the file's time zero; decoder delay taken off.
    package var time: MediaTime
    package var isKeyFrame: Bool
    /// Samples at 48 kHz to cut from the end of what it decodes to.
    package var trimEnd = 0
    /// Byte offset in the file.
    package var position: Int64
    package var bytes: [UInt8]
}
