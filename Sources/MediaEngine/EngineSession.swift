internal import Forwarding
internal import MediaBase
internal import SRTP

/// One session on its worker: a router, the streams published in it and the transports that feed and drain it.
final class EngineSession {
    let name: String
    let router = Router()
    /// In order of publication.
    var streams: [EngineStream] = []
    var publishers: [TransportID: PublishTransport] = [:]
    var subscribers: [TransportID: SubscribeTransport] = [:]
    /// When what is pending in the router has to leave at the latest; `.never` with nothing pending.
    var flushAt: MediaTime = .never
    /// In the worker's list of sessions with something pending.
    var isDirty = false
    /// In the worker's list of sessions where somebody catches up.
    var isCatchingUp = false
    var audioProducers = 0
    /// Bytes sent, and sent again, of late (halved every second): for the share that retransmissions may take.
    var sentBytes: UInt64 = 0
    var retransmittedBytes: UInt64 = 0
    /// When reports to its publishers and subscribers are looked at next.
    var reportsAt: MediaTime = .zero

    init(name: String) { self.name = name }

    func stream(named name: String) -> EngineStream? { streams.first { $0.name == name } }
    var isEmpty: Bool { publishers.isEmpty && subscribers.isEmpty }
}

/// What one publisher sends: up to one track of each kind.
final class EngineStream {
    let name: String
    let transport: PublishTransport
    var audio: Producer?
    var video: Producer?
    var taps: [PacketTap] = []
    let createdAt: Int64
    var bytesAtReport: [MediaKind: (bytes: UInt64, at: MediaTime)] = [:]
    var bitrate: [MediaKind: Bitrate] = [:]

    init(name: String, transport: PublishTransport, createdAt: Int64) {
        self.name = name
        self.transport = transport
        self.createdAt = createdAt
    }

    func producer(_ kind: MediaKind) -> Producer? { kind == .audio ? audio : video }
}

/// A publisher's SRTP: what comes in is checked by `context`, reports and requests go back under `leg`.
final class PublishTransport {
    let id: TransportID
    let streamName: String
    let rtcpMux: Bool
    let context: IngressContext
    let leg: UnsafeMutablePointer<EgressLeg>
    /// Indices into the worker's inbound tracks.
    var tracks: [Int] = []
    var lastAuthentic: MediaTime
    /// SSRC that the relay's own reports carry.
    let localSSRC: SSRC

    init(
        id: TransportID, streamName: String, rtcpMux: Bool, context: IngressContext,
        leg: UnsafeMutablePointer<EgressLeg>,
        localSSRC: SSRC, now: MediaTime
    ) {
        self.id = id
        self.streamName = streamName
        self.rtcpMux = rtcpMux
        self.context = context
        self.leg = leg
        self.localSSRC = localSSRC
        lastAuthentic = now
    }
}

/// A subscriber's SRTP out: one leg of keys and a path for each track's address.
final class SubscribeTransport {
    let id: TransportID
    let rtcpMux: Bool
    let leg: UnsafeMutablePointer<EgressLeg>
    /// Where each kind of track goes that this subscriber wants.
    let targets: [SubscriptionTarget]
    /// Tracks of streams that are published later are added.
    let wantsAllStreams: Bool
    /// Kinds that were paused, for tracks that are attached later.
    var paused: Set<MediaKind> = []
    /// A track stays when its stream ends: it attaches again when a stream of that name is published.
    var tracks: [SubscribedTrack] = []

    init(
        id: TransportID, rtcpMux: Bool, leg: UnsafeMutablePointer<EgressLeg>, targets: [SubscriptionTarget],
        wantsAllStreams: Bool
    ) {
        self.id = id
        self.targets = targets
        self.wantsAllStreams = wantsAllStreams
        self.rtcpMux = rtcpMux
        self.leg = leg
    }
}

/// Where one kind of track goes.
struct SubscriptionTarget {
    let kind: MediaKind
    let path: Int
    let address: SocketAddress
    let rtcpAddress: SocketAddress
    /// As asked for; else each track takes its producer's.
    let payloadType: PayloadType?
    /// As asked for, for the first track of this kind.
    let ssrc: SSRC?
}

/// One track of a subscriber.
struct SubscribedTrack {
    let streamName: String
    let kind: MediaKind
    let path: Int
    let rtcpAddress: SocketAddress
    let ssrc: SSRC
    let payloadType: PayloadType
    /// Where the viewer's stream stands while no producer feeds it.
    var progress: Consumer.Progress
    var reportedAt: MediaTime = .zero
}

/// What an SSRC on the wire belongs to. References are unowned: control calls keep the objects alive for as long as the entry is.
struct InboundTrack {
    var session: Unmanaged<EngineSession>
    var stream: Unmanaged<EngineStream>
    var transport: Unmanaged<PublishTransport>
    var producer: Unmanaged<Producer>
    let ssrc: SSRC
    let kind: MediaKind
    /// Where authentic packets last came from; without length before the first.
    var rtpAddress = SocketAddress()
    var rtcpAddress = SocketAddress()
    var hasTaps = false
    /// In the worker's list of tracks that want something of their publisher.
    var isAsking = false
}
