package import Messaging

/// What the doors of conversations are built from.
package struct MessageHubConfiguration: Hashable, Sendable {
    package static let loginsKey = "limit.loginsPerUser"

    package var limits = MessagingLimits()
    /// Sockets of one user that are told of its conversations.
    package var loginsPerUser = 32
    /// What waits for a socket that does not read: more, and it is closed.
    package var unsentEvents = 4_096
    package var unsentBytes = 8 << 20

    package init() {}
}
