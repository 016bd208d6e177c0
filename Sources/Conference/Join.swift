package import Signaling

/// A join that succeeded. `iceServers` and `pingInterval` of the answer are for the caller to fill in.
package struct Join: Hashable, Sendable {
    package var answer: JoinAnswer
    package var effects: [Effect]
}
