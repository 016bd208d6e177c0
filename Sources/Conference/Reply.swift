package import Signaling

/// Answer to a request, and what is to be done. The answer goes to its sender before the effects do.
package struct Reply: Hashable, Sendable {
    package var result: Result<RequestAnswer, SignalingError>
    package var effects: [Effect]
}
