import Signaling

/// Notification from a link to the messaging client, delivered in order.
enum LinkNews: Sendable {
    /// The link is open for requests; the user is not logged in yet.
    case up
    /// The connection was lost; pending requests will not be answered.
    case down
    /// The link has ended for good.
    case ended(SessionError)
    /// Answer to a request, or the reason why there is none.
    case answer(ticket: UInt64, Result<[UInt8], SignalingError>)
    case event(MessagingEvent)
}
