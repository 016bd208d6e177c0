internal import MediaBase
internal import SRTP

/// A subscriber's SRTP out: one leg of keys and a path for each address.
final class SubscribeTransport {
    let id: TransportID
    let rtcpMux: Bool
    let leg: UnsafeMutablePointer<EgressLeg>
    /// What leads to a WebRTC subscriber; nil for a plain one.
    unowned(unsafe) let peer: WebRTCPeer?
    /// Where each kind of track goes that this subscriber wants.
    let targets: [SubscriptionTarget]
    /// Tracks of streams that are published later are added.
    let wantsAllStreams: Bool
    /// Kinds that were paused, for tracks that are attached later.
    var paused: Set<MediaKind> = []
    /// A track stays when its stream ends: it attaches again when a stream of that name is published.
    var tracks: [SubscribedTrack] = []

    init(
        id: TransportID, rtcpMux: Bool, leg: UnsafeMutablePointer<EgressLeg>, peer: WebRTCPeer? = nil,
        targets: [SubscriptionTarget], wantsAllStreams: Bool
    ) {
        self.id = id
        self.targets = targets
        self.wantsAllStreams = wantsAllStreams
        self.rtcpMux = rtcpMux
        self.leg = leg
        self.peer = peer
    }

    /// Every path that its tracks go by.
    var paths: Set<Int> { Set(targets.map(\.path)) }
}
