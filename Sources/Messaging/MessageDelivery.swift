package import Signaling

/// An event for some users of one app; only connected users receive it.
package struct MessageDelivery: Hashable, Sendable {
    /// User ids.
    package var users: [String]
    package var event: MessagingEvent
    /// Whether the connection that sent the request is skipped, because it gets an answer.
    package var sparesOrigin: Bool

    package init(users: [String], event: MessagingEvent, sparesOrigin: Bool = false) {
        self.users = users
        self.event = event
        self.sparesOrigin = sparesOrigin
    }
}
