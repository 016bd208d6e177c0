package import Signaling

/// An event for the connected among some users of one app.
package struct MessageDelivery: Hashable, Sendable {
    /// User ids.
    package var users: [String]
    package var event: MessagingEvent
    /// The connection that asked knows it by its answer.
    package var sparesOrigin: Bool

    package init(users: [String], event: MessagingEvent, sparesOrigin: Bool = false) {
        self.users = users
        self.event = event
        self.sparesOrigin = sparesOrigin
    }
}
