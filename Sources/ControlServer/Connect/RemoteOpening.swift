/// Request that opens the transport of a client without a control connection at another relay.
struct RemoteOpening<Answer: Sendable>: Sendable {
    let call: MediaCall
    /// Stream that a subscriber asks for.
    let stream: String?
    /// Makes the answer for the client's endpoint; nil if it does not fit the request.
    let convert: @Sendable (MediaCallAnswer) -> OpenedTransport<Answer>?
}
