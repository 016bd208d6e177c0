package import Signaling

/// Answer to a request, with its effects. The answer is sent before the effects.
package struct Reply: Hashable, Sendable {
    package var result: Result<RequestAnswer, SignalingError>
    package var effects: [Effect]
}
