package import MediaBase

/// Change of a WHIP push that its owner is told of.
package enum PushReport: Sendable, Hashable {
    /// Media reaches the server.
    case live
    /// A try failed, or the connection was lost.
    /// - retryIn: time until the next try; nil if there is none.
    case failed(PushFailure, retryIn: MediaTime?)
}
