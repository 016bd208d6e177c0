package import Signaling

/// Counts of sessions, participants and messages for `/metrics`.
package struct SessionGauges: Sendable, Equatable {
    /// Live sessions.
    package var sessions = 0
    /// Participants in them, by kind.
    package var users: [UserInfo.Kind: Int] = [:]
    /// Participants whose client lost its connection and can still resume.
    package var dropped = 0
    /// Open connections of the control protocol, joined or not.
    package var connections = 0
    package var streams = 0
    /// WebRTC peers without a control connection (WHIP, WHEP).
    package var peers = 0
    /// Joins since the start.
    package var joins: UInt64 = 0
    /// Refused joins and other requests, by error code.
    package var refusals: [ErrorCode: UInt64] = [:]
    /// Ended connections, by reason.
    package var disconnects: [DisconnectReason: UInt64] = [:]
    package var resumes: UInt64 = 0
    /// Messages from and to clients.
    package var messagesReceived: UInt64 = 0
    package var messagesSent: UInt64 = 0

    package init() {}

    /// Peers that a drain waits for: clients, which are notified, and WebRTC peers, which leave when their programs stop. Plain transports
    /// cannot signal that they leave, so they are not counted.
    package var leaving: Int { (users[.client] ?? 0) + peers }
}
