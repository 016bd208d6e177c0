import Forwarding

/// Origin of a stream's packets. A stream names its origin and does not refer to it, because the origin's sections refer to their streams.
enum StreamSource: Sendable {
    /// A plain publisher, whose addresses and keys a request fixed.
    case plain(TransportID)
    /// A connected WebRTC or native publisher.
    case peer(TransportID)
    /// A pipe from another relay, at which the stream is published.
    case pipe(TransportID)

    /// The publisher's id in `EngineSession.publishers`.
    var transport: TransportID {
        switch self {
        case .plain(let id), .peer(let id), .pipe(let id): id
        }
    }

    /// Whether the stream is published at another relay.
    var isPipe: Bool { if case .pipe = self { true } else { false } }
}
