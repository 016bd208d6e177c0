package import Signaling

/// Report about the push of a live stream.
package enum LiveReport: Hashable, Sendable {
    case started
    /// - retryIn: seconds until the next try; nil: the push has ended.
    case failed(LiveFailureReason, detail: String, retryIn: Int?)
}
