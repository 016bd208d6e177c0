package import MediaBase

/// One track that the relay sends on a participant's subscribe peer connection, as both sides agreed on it.
package struct SubscriberTrack: Sendable, Hashable {
    /// Name of the stream that it is a part of.
    package var stream: String
    /// What the participant's answer left of what was offered.
    package var track: TrackDescription
    package var ssrc: SSRC
    /// Present where retransmissions on a stream of their own were agreed on (RFC 4588).
    package var rtxSSRC: SSRC?

    package init(stream: String, track: TrackDescription, ssrc: SSRC, rtxSSRC: SSRC? = nil) {
        self.stream = stream
        self.track = track
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
    }
}
