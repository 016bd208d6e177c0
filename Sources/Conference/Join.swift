package import Signaling

/// State of the session for a client that joins or gets a snapshot. The caller fills in `iceServers` and `pingInterval` of the answer.
package struct Join: Hashable, Sendable {
    package var answer: JoinAnswer
    package var effects: [Effect]
}
