import SessionMedia
import Signaling

/// Request for the transport of a client without a control connection, which the relay that the client asked can answer as well as this one.
struct VisitorOffer: Sendable {
    /// Returns the call that opens the transport at another relay, with kinds of a publisher that start muted.
    let call: @Sendable (Set<TrackKind>) -> MediaCall
    /// Takes that relay's answer for the client's endpoint, before the admission ends.
    /// - Returns: the answer to the order; nil if it does not fit the request, as that of a relay of another version.
    let take: @Sendable (MediaCallAnswer) -> MediaAnswer?
}
