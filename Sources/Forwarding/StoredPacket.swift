package import MediaBase
package import RTP

/// Stored packet of a publisher, without its payload, which is in the ring's arena.
package struct StoredPacket {
    /// Unwrapped sequence number; negative if it precedes the first received one; `Int64.min` for an empty slot.
    package var sequence: Int64 = .min
    /// Unwrapped RTP timestamp.
    package var timestamp: Int64 = 0
    package var arrival: MediaTime = .zero
    /// Byte position in the arena; it never wraps. The payload is overwritten once the arena has advanced by its full size.
    package var position = 0
    /// Payload bytes, `paddingLength` included.
    package var payloadLength: UInt16 = 0
    /// Redundant audio (RFC 2198): bytes of the payload before its primary block; 0 for other packets.
    package var redundancy: UInt16 = 0
    /// RTP padding at the end of the payload that the relay put there (RFC 3550 section 5.1).
    package var paddingLength: UInt8 = 0
    package var flags: Flags = []
    package var fields = RewriteFields()
    package var extensions = PassedExtensions()
    package var layers = LayerCounts()

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let marker = Flags(rawValue: 1)
        /// First packet of a key frame.
        package static let keyFrameStart = Flags(rawValue: 2)
        /// Received out of order or as a retransmission.
        package static let late = Flags(rawValue: 4)
        /// First packet of a video frame.
        package static let frameStart = Flags(rawValue: 8)
        /// Depends only on the base layer (VP8's Y bit).
        package static let layerSync = Flags(rawValue: 16)
    }

    package init() {}

    /// Returns the payload without redundant blocks.
    /// - Parameter payload: the packet's payload.
    package func primary(of payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard redundancy > 0, Int(redundancy) <= payload.count else { return payload }
        return UnsafeRawBufferPointer(rebasing: payload[Int(redundancy)...])
    }
}
