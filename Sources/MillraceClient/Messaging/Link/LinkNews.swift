import Signaling

/// What a link to the relay tells those who use it for conversations, in order.
enum LinkNews: Sendable {
    /// Requests can be sent; nothing is logged in yet.
    case up
    /// What was asked and not answered will not be.
    case down
    /// It will not be up again.
    case ended(SessionError)
    /// The message that answers a request, or why there is none.
    case answer(ticket: UInt64, Result<[UInt8], SignalingError>)
    case event(MessagingEvent)
}
