internal import Conference
internal import SDP
internal import Signaling

/// One connection of a session: what it is still to be told, its socket while it has one, its peer connections. Confined to its session.
final class LiveConnection {
    let id: ConnectionID
    let resumeToken: String
    /// Name and version of the client program, as it says.
    let program: String?
    /// What `ReportGuard` tells it from others by.
    let reporter: String
    var socket: ClientSocket?
    var outbox: Outbox<EventText>
    /// A request is being carried out whose answer goes before the events that it causes: those wait in the outbox.
    var isHeld = false
    var publisher: PublishPeer?
    var subscriber: SubscribePeer?
    /// Where its peers are in the engine, or are on their way to.
    var place = Place.mainSession
    /// What its next subscribe peer connection is to be.
    var subscribeTransport = MediaTransport.webRTC
    /// Names of its newest events, oldest first, for reports.
    private(set) var recent: [String] = []

    init(
        id: ConnectionID, resumeToken: String, program: String?, reporter: String, socket: ClientSocket,
        outbox: OutboxLimits
    ) {
        self.id = id
        self.resumeToken = resumeToken
        self.program = program
        self.reporter = reporter
        self.socket = socket
        self.outbox = Outbox(limits: outbox)
    }

    /// What is said to it, or will be, has keys in it.
    var usesKeys: Bool { subscribeTransport == .native || publisher?.peer.isNative == true }

    private static let recentEvents = 64

    /// Queues an event for the client.
    func append(_ text: EventText) throws(Outbox<EventText>.Overflow) {
        try outbox.append(text, bytes: text.bytes)
        if recent.count == Self.recentEvents { recent.removeFirst() }
        recent.append(text.name)
    }
}
