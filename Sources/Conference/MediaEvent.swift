package import Signaling

/// What the media plane reports.
package enum MediaEvent: Hashable, Sendable {
    /// The first media of a planned stream is there: it is announced now. Dimensions are 0 where they are not known.
    case published(ConnectionID, StreamID, hasAudio: Bool, hasVideo: Bool, width: Int = 0, height: Int = 0)
    case unpublished(StreamID, StreamEndReason)
    /// The relay records the stream, or does not any more.
    case recorded(StreamID, Bool)
    case dimensions(StreamID, width: Int, height: Int)
    /// The subscription is negotiated; media can flow.
    case subscribed(ConnectionID, StreamID)
    /// It could not be set up or gone on with; it is over.
    case subscriptionFailed(ConnectionID, StreamID)
    /// The subscriber's path does not carry the video, or carries it again.
    case videoPaused(ConnectionID, StreamID)
    case videoResumed(ConnectionID, StreamID)
    /// It was ordered, and the media plane did not do it: what was before is still so.
    case muteFailed(StreamID, TrackKind, Bool)
    /// Who has the floor among those in a place; nil: nobody.
    case activeSpeaker(StreamID?, in: Place = .mainSession)
    /// The connection's peers began anew: what they carried is gone.
    case reset(ConnectionID, publish: Bool, subscribe: Bool)
    /// A publisher without signalling (WHIP, plain) is gone.
    case publisherLeft(ConnectionID, DisconnectReason)
}
