package import MediaBase

/// Completed switch of a subscriber's track from one encoding to another.
package struct LayerSwitch: Sendable {
    package var path: Int
    /// SSRC of the subscriber's track. It does not change.
    package var ssrc: SSRC
    /// Publisher's SSRC of the old encoding; `to` is that of the new one.
    package var from: SSRC
    package var to: SSRC
    package var requestedAt: MediaTime
    /// Arrival time of the key frame at which the track switched.
    package var at: MediaTime
}
