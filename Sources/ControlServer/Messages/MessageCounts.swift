/// Counts of the doors of conversations.
package struct MessageCounts: Hashable, Sendable {
    /// Users with a socket that is logged in.
    package var users = 0
    package var sockets = 0
    /// Messages that were answered as stored, repetitions included.
    package var messages: UInt64 = 0
    /// Events that were handed to sockets.
    package var events: UInt64 = 0
    /// Sockets that were closed because they did not read.
    package var slowSockets: UInt64 = 0

    package init() {}
}
