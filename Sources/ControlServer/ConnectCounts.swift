package import MediaEngine
package import Signaling

/// Counters of the control protocol.
package struct ConnectCounts: Sendable {
    /// Open WebSockets, joined or not.
    package var sockets = 0
    package var socketsTotal: UInt64 = 0
    package var messagesReceived: UInt64 = 0
    package var messagesSent: UInt64 = 0
    package var joins: UInt64 = 0
    /// Time from the request to join until its answer is passed to the socket.
    package var joinDelay = DelayHistogram()
    package var resumes: UInt64 = 0
    /// Error answers, by code.
    package var refusals: [ErrorCode: UInt64] = [:]
    /// Ended connections, by reason.
    package var disconnects: [DisconnectReason: UInt64] = [:]
    /// Events of the media engine that were dropped; the session read the engine's state instead.
    package var eventsMissed: UInt64 = 0
    /// Connections whose queue was full.
    package var queueOverflows: UInt64 = 0

    package init() {}
}
