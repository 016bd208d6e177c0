package import MediaBase
package import MediaEngine

/// RTP packet of a programme, without its header.
package struct ProgrammePacket: Sendable {
    package var kind: MediaKind
    /// Consecutive for each kind, from 0 on.
    package var sequence: Int64
    /// RTP timestamp in the kind's clock rate. Both kinds count from the same moment.
    package var timestamp: Int64
    /// Whether the packet is the last one of a video frame.
    package var marker: Bool
    /// Whether the packet belongs to a key frame; always true for audio.
    package var isKeyFrame: Bool
    /// Time of the output on the relay's clock.
    package var time: MediaTime
    /// NTP time of `timestamp` (RFC 3550 section 4), from which sender reports are made: it aligns audio with video.
    package var captureNTP: UInt64
    /// Clockwise rotation for display.
    package var rotation: Rotation
    /// Codec of a video packet.
    package var codec: VideoCodec
    /// RTP payload, including the codec's descriptor; at most 1,276 bytes.
    package var payload: [UInt8]

    /// Passes the packet in the form of a tap.
    package func withTapPacket<R>(_ body: (TapPacket) -> R) -> R {
        payload.withUnsafeBytes { payload in
            body(
                TapPacket(
                    kind: kind, sequence: sequence, timestamp: timestamp, marker: marker, arrival: time,
                    captureNTP: captureNTP, rotation: rotation, codec: codec, payload: payload))
        }
    }
}
