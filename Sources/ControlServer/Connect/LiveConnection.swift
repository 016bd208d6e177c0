import Conference
import SDP
import Signaling

/// One connection of a session: what it is still to be told, its socket while it has one, its peer connections. Confined to its session.
final class LiveConnection {
    let id: ConnectionID
    let resumeToken: String
    /// Name and version of the client program, as it says.
    let program: String?
    /// What `ReportGuard` tells it from others by.
    let reporter: String
    /// Counts it as a participant of its holder.
    let lease: ResourceLease
    var socket: ClientSocket?
    var outbox: Outbox<EventText>
    private var queue: QueueLease
    /// A request is being carried out whose answer goes before the events that it causes: those wait in the outbox.
    var isHeld = false
    var publisher: PublishPeer? {
        didSet { if publisher != nil { hasPublished = true } }
    }
    /// It had a publish peer connection at some time.
    private(set) var hasPublished = false
    var subscriber: SubscribePeer?
    /// Where its peers are in the engine, or are on their way to.
    var place = Place.mainSession
    /// What its next subscribe peer connection is to be.
    var subscribeTransport = MediaTransport.webRTC
    /// Names of its newest events, oldest first, for reports.
    private(set) var recent: [String] = []

    init(
        id: ConnectionID, resumeToken: String, program: String?, reporter: String, lease: ResourceLease,
        socket: ClientSocket, outbox: OutboxLimits, resources: ResourceAccounts
    ) {
        self.id = id
        self.resumeToken = resumeToken
        self.program = program
        self.reporter = reporter
        self.lease = lease
        queue = QueueLease(for: lease.holder, accounts: resources)
        self.socket = socket
        self.outbox = Outbox(limits: outbox)
    }

    /// What is said to it, or will be, has keys in it.
    var usesKeys: Bool { subscribeTransport == .native || publisher?.peer.isNative == true }

    private static let recentEvents = 64

    /// The client does not read as fast as events come: its own queue is full, or all queues of its token, user or address together are.
    struct QueueFull: Error {}

    /// Queues an event for the client.
    func append(_ text: EventText) throws(QueueFull) {
        do {
            try outbox.append(text, bytes: text.bytes)
            try queue.update(waitingBytes)
        } catch {
            throw QueueFull()
        }
        if recent.count == Self.recentEvents { recent.removeFirst() }
        recent.append(text.name)
    }

    /// Updates the count of the queue after events were taken from it or the client was lost or came back.
    func settleQueue() {
        // Growth is refused only here, after `resume`: what is sent again has the size of the replay at most.
        try? queue.update(waitingBytes)
    }

    /// It is over: its participant and its queue are no longer counted.
    func release() {
        lease.release()
        try? queue.update(0)
    }

    /// Events for a lost client are bounded by the size of the replay and are not counted.
    private var waitingBytes: Int { outbox.isAttached ? outbox.unsentBytes : 0 }
}
