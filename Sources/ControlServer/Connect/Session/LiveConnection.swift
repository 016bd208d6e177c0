import Cluster
import Conference
import Signaling

/// Client connection of a session: its queued events, its socket while it has one. Confined to its session.
final class LiveConnection {
    let id: ConnectionID
    /// Key of its resume token (`Secret.key`).
    let resumeKey: String
    /// Name and version of the client program, as the client reports them.
    let program: String?
    /// Key by which `ReportGuard` counts its reports.
    let reporter: String
    /// Counts the connection as a participant of its resource holder.
    let lease: ResourceLease
    var socket: (any ClientChannel)? {
        didSet { if let socket { relay = socket.relay } }
    }
    /// Relay at which the client's next peer connections open: the one that proxied it last; nil: this relay.
    private(set) var relay: RelayIdentity?
    var outbox: Outbox<EventText>
    private var queue: QueueLease
    /// Whether a request is in progress whose answer must precede the events that it causes; the outbox holds them until then.
    var isHeld = false
    /// Whether this relay does not have the client's past, because it has taken the session over: its events, and its media.
    var needsSnapshot = false
    /// Whether the client has sent nothing since it was sent a snapshot, which it may not have received.
    private var isSnapshotOpen = false
    /// Names of its latest events, oldest first, for reports.
    private(set) var recent: [String] = []

    init(
        id: ConnectionID, resumeKey: String, program: String?, reporter: String, lease: ResourceLease,
        socket: (any ClientChannel)?, outbox: OutboxLimits, resources: ResourceAccounts
    ) {
        self.id = id
        self.resumeKey = resumeKey
        self.program = program
        self.reporter = reporter
        self.lease = lease
        queue = QueueLease(for: lease.holder, accounts: resources)
        self.socket = socket
        relay = socket?.relay
        self.outbox = Outbox(limits: outbox)
    }

    /// Creates the connection of a client that was lost with the session's previous home relay.
    convenience init(restored client: RestoredSession.Client, _ context: SessionContext) {
        self.init(
            id: client.id, resumeKey: client.saved.resumeKey, program: client.saved.program,
            reporter: client.saved.reporter, lease: client.lease, socket: nil,
            outbox: context.configuration.outbox, resources: context.resources)
        outbox.detach()
        needsSnapshot = true
    }

    private static let recentEvents = 64

    /// The client reads more slowly than events arrive: its own queue is full, or all queues of its token, user or address together are.
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

    /// Connects the client again; missed events are sent again.
    /// - Returns: number of missed events; nil: the client needs a snapshot instead, see `restart`.
    /// - Throws: `resumeGap` if the client takes no snapshot, `invalidField` if `lastEvent` was never sent.
    func resume(_ request: ResumeRequest) throws(SignalingError) -> Int? {
        let takesSnapshot = request.snapshots == true
        guard !needsSnapshot, !isSnapshotOpen else {
            guard takesSnapshot else { throw SignalingError(.resumeGap) }
            return nil
        }
        do {
            return try outbox.resume(lastEvent: request.lastEvent)
        } catch {
            guard takesSnapshot else { throw error }
            return nil
        }
    }

    /// Connects the client again with a snapshot. Until the client sends a request, another resume gets a snapshot too: the event numbers
    /// of a client that has not received the first one are not those of the outbox.
    func restart() {
        outbox.restart()
        isSnapshotOpen = true
    }

    /// Handles a request of the client, which has therefore received its answer.
    func hasAsked() {
        needsSnapshot = false
        isSnapshotOpen = false
    }

    /// Updates the counted queue size after events were taken from the queue, or the client was lost or resumed.
    func settleQueue() {
        // Growth can be refused only after `resume`, when the resent events have at most the size of the replay.
        try? queue.update(waitingBytes)
    }

    /// Stops counting the participant and the queue when the connection is over.
    func release() {
        lease.release()
        try? queue.update(0)
    }

    /// Queue size to count. Events for a lost client are not counted: the size of the replay bounds them.
    private var waitingBytes: Int { outbox.isAttached ? outbox.unsentBytes : 0 }
}
