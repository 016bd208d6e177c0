import SessionMedia
import Signaling

/// Request that opens the transport of a client without a control connection at another relay.
struct RemoteOpening<Answer: Sendable>: Sendable {
    /// Stream that a subscriber asks for.
    let stream: String?
    /// Returns the request, for kinds of a publisher that start muted.
    let call: @Sendable (Set<TrackKind>) -> MediaCall
    /// Makes the answer for the client's endpoint; nil if it does not fit the request.
    let convert: @Sendable (MediaCallAnswer) -> OpenedTransport<Answer>?
}
