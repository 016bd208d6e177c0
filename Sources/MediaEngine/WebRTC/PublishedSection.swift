package import SDP

/// One media section of a publish peer connection, and the stream that it is a part of.
package struct PublishedSection: Sendable, Hashable {
    package var stream: String
    package var track: TrackDescription
    /// From its first packet on nothing of it is forwarded, until it is unmuted. Counts for a section that is new.
    package var startsMuted: Bool

    package init(stream: String, track: TrackDescription, startsMuted: Bool = false) {
        self.stream = stream
        self.track = track
        self.startsMuted = startsMuted
    }
}
