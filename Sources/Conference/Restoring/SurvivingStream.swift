package import Signaling

/// Stream whose publish peer connection has survived the loss of the session's home relay, as its relay knows it.
package struct SurvivingStream: Hashable, Sendable {
    package var id: StreamID
    package var hasAudio: Bool
    package var hasVideo: Bool
    /// Tracks that its relay drops.
    package var muted: Set<TrackKind>

    package init(id: StreamID, hasAudio: Bool, hasVideo: Bool, muted: Set<TrackKind>) {
        self.id = id
        self.hasAudio = hasAudio
        self.hasVideo = hasVideo
        self.muted = muted
    }
}
