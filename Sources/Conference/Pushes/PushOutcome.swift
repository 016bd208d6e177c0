package import Signaling

/// Outcome of a try of a push to reach its server.
package enum PushOutcome: Hashable, Sendable {
    case started
    /// - retryIn: seconds until the next try; nil: the push has ended.
    case failed(PushFailureReason, detail: String, retryIn: Int?)
}
