package import SDP
package import Signaling

/// Reason why a request that waited for the media plane failed.
package enum MediaRefusal: Error, Sendable {
    case error(SignalingError)
    case description(SDPError)
    case negotiation(SubscribeNegotiationError)
    /// The offer has keys, and the client's connection is not confidential.
    case readableKeys
    /// The media plane does not have the stream. An error only if `Conference` does not have it either: a stream that is yet to begin
    /// starts in the state that `Conference` has.
    case noStream(StreamID)
    /// The session has ended, or a client without a control connection was removed, before the answer.
    case ended
}
