import Forwarding

/// Request of the relay to the origin of an inbound track.
enum InboundRequest {
    /// Compound to the track's publisher.
    /// - Parameter missing: number of packets that it requests; 0: it requests a key frame.
    case compound([UInt8], missing: Int, Producer, PublishTransport)
    /// Key frame from the worker that a mirrored track comes from.
    /// - Parameters:
    ///   - track: number of the track there.
    ///   - isAwaited: a subscriber receives nothing from the track before that key frame.
    case keyFrame(track: UInt64, session: String, isAwaited: Bool, worker: Int)
}
