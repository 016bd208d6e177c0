import Foundation

/// User of a session's WebSocket for conversations.
struct MessagingSeat: Sendable {
    /// Id of the messaging link; a session has at most one link at a time.
    let link: UUID
    let news: @Sendable (LinkNews) -> Void
}
