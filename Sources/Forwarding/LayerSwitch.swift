package import MediaBase

/// Completed switch of a subscriber's track from one encoding, or spatial layer of an encoding, to another.
package struct LayerSwitch: Sendable {
    package var path: Int
    /// SSRC of the subscriber's track. It does not change.
    package var ssrc: SSRC
    /// Publisher's SSRC of the old encoding; `to` is that of the new one, which is the same if the spatial layer changes.
    package var from: SSRC
    package var to: SSRC
    package var requestedAt: MediaTime
    /// Arrival time of the key frame, or of the first frame of a lower spatial layer, at which the track switched.
    package var at: MediaTime
}
