package import Signaling

/// Answer to a request, with its effects. The answer is sent before the effects.
package struct Reply<Answer: Hashable & Sendable>: Hashable, Sendable {
    /// Nil for a request that the rules only allow, and the caller carries out.
    package var result: Result<Answer?, SignalingError>
    package var effects: [Effect]
}
