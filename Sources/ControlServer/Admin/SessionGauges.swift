package import Signaling

/// What `/metrics` says of sessions.
package struct SessionGauges: Sendable, Equatable {
    /// Live sessions.
    package var sessions = 0
    /// Users in them, by kind.
    package var users: [UserInfo.Kind: Int] = [:]
    /// Users whose client is lost and may come back.
    package var dropped = 0
    /// Open connections of the control protocol, joined or not.
    package var connections = 0
    package var streams = 0
    /// WebRTC peers without signalling (WHIP, WHEP).
    package var peers = 0
    /// Since the start.
    package var joins: UInt64 = 0
    /// Refused joins and other requests by error code.
    package var refusals: [ErrorCode: UInt64] = [:]
    /// Ended connections by reason.
    package var disconnects: [DisconnectReason: UInt64] = [:]
    package var resumes: UInt64 = 0
    /// Messages from and to clients.
    package var messagesReceived: UInt64 = 0
    package var messagesSent: UInt64 = 0

    package init() {}

    /// Those that a drain waits for: clients, which are told of it, and WebRTC peers, which leave when their programs end. Plain transports
    /// have no way to leave.
    package var leaving: Int { (users[.client] ?? 0) + peers }
}
