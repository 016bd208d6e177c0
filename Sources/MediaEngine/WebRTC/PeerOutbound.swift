internal import Forwarding
internal import MediaBase
internal import SDP

/// What a connected peer gets, and how much of it its path can carry.
final class PeerOutbound {
    let transport: SubscribeTransport
    let session: EngineSession
    /// Index of its path in the session's router.
    let path: Int

    init(transport: SubscribeTransport, session: EngineSession, path: Int) {
        self.transport = transport
        self.session = session
        self.path = path
    }
}
