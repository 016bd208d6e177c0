package import MediaBase
package import SDP

/// Successful answer of the media plane to an order.
package enum MediaAnswer: Sendable {
    case done
    /// Answer to `openPublisher` and `updatePublisher`.
    case publisher(PeerID, RelayDescription)
    /// Answer to `openSubscriber`.
    case subscriber(PeerID, RelayDescription, videoCodecs: [VideoCodec])
    /// Answer to `prepareRestart`: the relay's new credentials.
    case credentials(ICECredentials)
}
