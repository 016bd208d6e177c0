import Foundation

/// Who uses a session's WebSocket for conversations.
struct MessagingSeat: Sendable {
    /// Of the link; a session has one at a time.
    let link: UUID
    let news: @Sendable (LinkNews) -> Void
}
