import MediaBase
import Signaling

/// Peer connections of one session. Confined to the session's media thread.
final class MediaConnections {
    let localAddress: String?
    var isOver = false
    var publishing: PublishPeer?
    var subscribing: SubscribePeer?

    /// Maximum number of datagrams read from one socket before the other sockets are served.
    private static let batch = 64

    /// Requests a key frame of a stream; can be called from any thread.
    let needsKeyFrame: @Sendable (StreamID) -> Void

    init(localAddress: String?, needsKeyFrame: @escaping @Sendable (StreamID) -> Void) {
        self.localAddress = localAddress
        self.needsKeyFrame = needsKeyFrame
    }

    var descriptors: [Int32] { (publishing?.path.descriptors ?? []) + (subscribing?.path.descriptors ?? []) }

    /// Handles expired timers.
    /// - Returns: time of the next timer.
    func turn(now: MediaTime) -> MediaTime {
        publishing?.handleTimeout(now: now)
        subscribing?.handleTimeout(now: now)
        return min(publishing?.deadline ?? .never, subscribing?.deadline ?? .never)
    }

    func receive(now: MediaTime) {
        if let publishing {
            publishing.path.receive(atMost: Self.batch) { publishing.receive($0, from: $1, now: now) }
        }
        if let subscribing {
            subscribing.path.receive(atMost: Self.batch) { subscribing.receive($0, from: $1, now: now) }
        }
    }

    func close(now: MediaTime) {
        publishing?.close(now: now)
        subscribing?.close(now: now)
        publishing = nil
        subscribing = nil
    }
}
