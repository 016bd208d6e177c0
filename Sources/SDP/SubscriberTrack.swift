package import MediaBase

/// Track that the relay sends on a participant's subscribe peer connection, as negotiated.
package struct SubscriberTrack: Sendable, Hashable, Codable {
    /// Name of the stream that the track belongs to.
    package var stream: String
    /// The offered track, reduced to what the participant's answer accepts.
    package var track: TrackDescription
    package var ssrc: SSRC
    /// Set if a separate stream of retransmissions was negotiated (RFC 4588).
    package var rtxSSRC: SSRC?

    package init(stream: String, track: TrackDescription, ssrc: SSRC, rtxSSRC: SSRC? = nil) {
        self.stream = stream
        self.track = track
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
    }
}
