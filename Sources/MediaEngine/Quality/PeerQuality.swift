package import MediaBase

/// Quality of one peer connection over the last minutes, and the time at which it was read.
package struct PeerQuality: Sendable, Codable {
    /// Nil before the peer has connected.
    package var timeline: QualityTimeline?
    package var now: MediaTime
}
