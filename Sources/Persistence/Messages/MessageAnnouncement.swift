package import Messaging

/// Events of one command for users of one app.
package struct MessageAnnouncement: Hashable, Sendable {
    package var app: String
    package var deliveries: [MessageDelivery]
}
