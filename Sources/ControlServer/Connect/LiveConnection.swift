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
    var socket: (any ClientChannel)?
    var outbox: Outbox<EventText>
    private var queue: QueueLease
    /// Whether a request is in progress whose answer must precede the events that it causes; the outbox holds them until then.
    var isHeld = false
    /// Whether the relay lacks the client's past, after a take-over: its next resume is answered with a snapshot.
    var needsSnapshot = false
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
        self.outbox = Outbox(limits: outbox)
    }

    /// Creates the connection of a client that was lost with the session's previous home relay.
    convenience init(restored client: RestoredSession.Client, _ environment: LiveSessionEnvironment) {
        self.init(
            id: client.id, resumeKey: client.saved.resumeKey, program: client.saved.program,
            reporter: client.saved.reporter, lease: client.lease, socket: nil,
            outbox: environment.configuration.outbox, resources: environment.resources)
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
