package import Signaling

/// Reason why the media plane refused an order.
package struct MediaFailure: Error, Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        case noSession
        case noStream
        case noPeer
        case invalid
        /// The queue of calls is full.
        case busy
        case other
    }

    package let kind: Kind
    /// Error for the client whose request depended on the order.
    package let error: SignalingError

    package init(_ kind: Kind, _ error: SignalingError) {
        self.kind = kind
        self.error = error
    }

    /// Whether the peer no longer exists.
    var isPeerGone: Bool { kind == .noPeer || kind == .noSession }
}
