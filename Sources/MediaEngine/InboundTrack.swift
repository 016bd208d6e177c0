import Forwarding
import MediaBase

/// What packets of one SSRC belong to. References are unowned: control calls keep the objects alive for as long as the entry is.
struct InboundTrack {
    var session: Unmanaged<EngineSession>
    var stream: Unmanaged<EngineStream>
    /// That of the stream.
    var room: Unmanaged<EngineRoom>
    var transport: Unmanaged<PublishTransport>
    var producer: Unmanaged<Producer>
    var ssrc: SSRC
    let kind: MediaKind
    /// Of a plain publisher: where authentic packets last came from; without length before the first.
    var rtpAddress = SocketAddress()
    var rtcpAddress = SocketAddress()
    var hasTaps = false
    /// Of audio: how loud it is.
    var levels = AudioLevelTracker()
    /// Of audio: others are louder, so nobody hears it.
    var isWithheld = false
    /// In the worker's list of tracks that want something of their publisher.
    var isAsking = false
    /// What is kept of its packets for reports; nil: nothing is.
    var headers: HeaderLog?
    #if DEBUG
        var fault = TrackFault()
    #endif
}
