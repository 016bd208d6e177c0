import Forwarding
package import MediaBase
package import RTP

/// Decrypted packet of a stream as a tap sees it.
package struct TapPacket {
    package var kind: MediaKind
    /// Unwrapped sequence number, consecutive unless packets were lost. Late packets arrive out of order.
    package var sequence: Int64
    /// Unwrapped RTP timestamp in the kind's clock rate.
    package var timestamp: Int64
    package var marker: Bool
    package var arrival: MediaTime
    /// NTP time (RFC 3550 section 4, 32.32 bits) of `timestamp` by the publisher's clock; nil before the first sender report.
    package var captureNTP: UInt64?
    /// Clockwise rotation for display, valid on the last packet of a frame.
    package var rotation: Rotation
    /// Codec of a video packet.
    package var codec: VideoCodec
    /// Level of an audio packet; nil if it has none.
    package var level: AudioLevel?
    /// RTP payload, including the codec's descriptor. Valid only inside the closure that received the packet.
    package var payload: UnsafeRawBufferPointer

    package init(
        kind: MediaKind, sequence: Int64, timestamp: Int64, marker: Bool, arrival: MediaTime, captureNTP: UInt64?,
        rotation: Rotation = .none, codec: VideoCodec = .vp8, level: AudioLevel? = nil, payload: UnsafeRawBufferPointer
    ) {
        self.kind = kind
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.arrival = arrival
        self.captureNTP = captureNTP
        self.rotation = rotation
        self.codec = codec
        self.level = level
        self.payload = payload
    }
}

extension TapPacket {
    init(_ packet: borrowing StoredPacket, _ payload: UnsafeRawBufferPointer, of producer: Producer) {
        let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: packet.timestamp))
        self.init(
            kind: producer.kind, sequence: packet.sequence, timestamp: packet.timestamp,
            marker: packet.flags.contains(.marker), arrival: packet.arrival,
            captureNTP: producer.clock.ntp(of: timestamp)?.rawValue,
            rotation: packet.extensions.videoOrientation?.rotation ?? producer.rotation,
            codec: producer.configuration.codec, level: packet.extensions.audioLevel, payload: payload)
    }
}
