package import SDP
package import Signaling

/// Media section of a publish peer connection, and the stream that it belongs to.
package struct PublishSection: Hashable, Sendable {
    package let stream: StreamID
    package let track: TrackDescription
    /// Whether packets are dropped from the first one on, until the track is unmuted. Applies only to new sections.
    package let startsMuted: Bool
    package let isEncrypted: Bool
}
