/// Counters of conversations.
package struct MessageCounts: Hashable, Sendable {
    /// Users with a logged-in socket.
    package var users = 0
    package var sockets = 0
    /// Messages answered as stored, repetitions included.
    package var messages: UInt64 = 0
    /// Events that were passed to sockets.
    package var events: UInt64 = 0
    /// Sockets that were closed because they did not read.
    package var slowSockets: UInt64 = 0
    /// Sockets that were closed because events of other relays were missed.
    package var endedLogins: UInt64 = 0

    package init() {}
}
