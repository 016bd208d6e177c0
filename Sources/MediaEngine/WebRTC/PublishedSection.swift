package import SDP

/// Media section of a publish peer connection, and the stream that it belongs to.
package struct PublishedSection: Sendable, Hashable {
    package var stream: String
    package var track: TrackDescription
    /// Whether packets are dropped from the first one on, until the track is unmuted. Applies only to new sections.
    package var startsMuted: Bool
    /// Whether its frames are encrypted end to end, so that the relay cannot decode them.
    package var isEncrypted: Bool

    package init(stream: String, track: TrackDescription, startsMuted: Bool = false, isEncrypted: Bool = false) {
        self.stream = stream
        self.track = track
        self.startsMuted = startsMuted
        self.isEncrypted = isEncrypted
    }
}
