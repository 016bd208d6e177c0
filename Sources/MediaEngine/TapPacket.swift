import Forwarding
package import MediaBase
import RTP

/// One packet of a stream as a tap sees it, decrypted.
package struct TapPacket {
    package var kind: MediaKind
    /// Unwrapped sequence number: consecutive unless packets were lost; a late packet comes late.
    package var sequence: Int64
    /// Unwrapped RTP timestamp in the kind's clock rate.
    package var timestamp: Int64
    package var marker: Bool
    package var arrival: MediaTime
    /// NTP time (RFC 3550 section 4, 32.32 bits) of `timestamp` by the publisher's clock, once a sender report has said it.
    package var captureNTP: UInt64?
    /// Clockwise rotation that the frame needs, valid on its last packet.
    package var rotation: Rotation
    /// RTP payload: for VP8 with its descriptor. Valid inside the closure that got the packet.
    package var payload: UnsafeRawBufferPointer

    package init(
        kind: MediaKind, sequence: Int64, timestamp: Int64, marker: Bool, arrival: MediaTime, captureNTP: UInt64?,
        rotation: Rotation = .none, payload: UnsafeRawBufferPointer
    ) {
        self.kind = kind
        self.sequence = sequence
        self.timestamp = timestamp
        self.marker = marker
        self.arrival = arrival
        self.captureNTP = captureNTP
        self.rotation = rotation
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
            rotation: packet.extensions.videoOrientation?.rotation ?? producer.rotation, payload: payload)
    }
}
