package import Signaling

/// Result of a successful join. The caller fills in `iceServers` and `pingInterval` of the answer.
package struct Join: Hashable, Sendable {
    package var answer: JoinAnswer
    package var effects: [Effect]
}
