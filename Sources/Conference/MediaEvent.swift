package import Signaling

/// Report of the media plane.
package enum MediaEvent: Hashable, Sendable {
    /// The first media of a planned stream has arrived, so the stream is announced. Dimensions are 0 if unknown.
    case published(ConnectionID, StreamID, hasAudio: Bool, hasVideo: Bool, width: Int = 0, height: Int = 0)
    case unpublished(StreamID, StreamEndReason)
    /// Recording of the stream has started or ended.
    case recorded(StreamID, Bool)
    case dimensions(StreamID, width: Int, height: Int)
    /// The subscription is negotiated; media can flow.
    case subscribed(ConnectionID, StreamID)
    /// The subscription could not be set up or continued, and has ended.
    case subscriptionFailed(ConnectionID, StreamID)
    /// The subscriber's path is too narrow for the video, or is wide enough again.
    case videoPaused(ConnectionID, StreamID)
    case videoResumed(ConnectionID, StreamID)
    /// Whether the subscriber takes packets of the stream's video codec.
    case codecSupported(ConnectionID, StreamID, Bool)
    /// The media plane could not mute or unmute the track; its previous state remains.
    case muteFailed(StreamID, TrackKind, Bool)
    /// Stream of the active speaker in a location; nil if there is none.
    case activeSpeaker(StreamID?, in: Location = .mainSession)
    /// The connection's peer connections were reset; their streams or subscriptions are lost.
    case reset(ConnectionID, publish: Bool, subscribe: Bool)
    /// A publisher without signalling (WHIP, plain) has left.
    case publisherLeft(ConnectionID, DisconnectReason)
    /// A subscriber without signalling (WHEP, plain) has left, or has no transport.
    case subscriberLeft(ConnectionID)
}
