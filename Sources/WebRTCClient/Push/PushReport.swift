package import MediaBase

/// Change of a WHIP push that its owner is told of.
package enum PushReport: Sendable, Hashable {
    /// Media reaches the server.
    case live
    /// The path was lost, or led to another address, and works again after an ICE restart.
    case restarted
    /// A try failed, or the connection was lost.
    /// - retryIn: time until the next try; nil if there is none.
    case failed(PushFailure, retryIn: MediaTime?)
}
