package import Messaging

/// Configuration of conversations in the control protocol.
package struct MessageHubConfiguration: Hashable, Sendable {
    package static let loginsKey = "limit.loginsPerUser"

    package var limits = MessagingLimits()
    /// Maximum number of logged-in sockets of one user.
    package var loginsPerUser = 32
    /// Maximum backlog of a socket, in events and bytes; beyond it, the socket is closed.
    package var unsentEvents = 4_096
    package var unsentBytes = 8 << 20

    /// Maximum number of events of other relays that wait to be passed to sockets. Beyond it, all logged-in sockets are closed.
    package var announcedEvents = 65_536

    package init() {}
}
