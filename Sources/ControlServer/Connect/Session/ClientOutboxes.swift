import Conference
import Logging
import NIOCore
import Signaling

/// Clients of a session with a control connection, and the way of their events into their sockets. `SessionCore.perform` appends the events
/// of all effects and flushes them, and disconnects the clients that are too slow.
///
/// A client whose request is in progress is held (`LiveConnection.isHeld`): its events follow the answer, after `release`.
final class ClientOutboxes {
    /// Called when a socket that was full has space again; the session then calls `drained`.
    var onDrained: (@Sendable (ConnectionID, any ClientChannel) -> Void)?
    private let statistics: ControlStatistics
    private let logger: Logger
    private var clients: [ConnectionID: LiveConnection] = [:]
    /// Clients whose outboxes have new events.
    private var touched: [ConnectionID] = []
    /// Clients whose outboxes are full.
    private var slow: Set<ConnectionID> = []

    init(_ statistics: ControlStatistics, logger: Logger) {
        self.statistics = statistics
        self.logger = logger
    }

    subscript(id: ConnectionID) -> LiveConnection? { clients[id] }

    var all: some Collection<LiveConnection> { clients.values }

    func add(_ client: LiveConnection) { clients[client.id] = client }

    func remove(_ id: ConnectionID) -> LiveConnection? { clients.removeValue(forKey: id) }

    // MARK: events

    /// Queues an event for clients until `flush`. An event that cannot be encoded is dropped for all clients, so that none of them sees a gap in
    /// the numbers.
    func append(_ event: Event, to audience: some Sequence<ConnectionID>) {
        guard let text = text(of: event) else { return }
        for id in audience {
            guard let client = clients[id] else { continue }
            do {
                try client.append(text)
                touched.append(id)
            } catch {
                slow.insert(id)
            }
        }
    }

    private func text(of event: Event) -> EventText? {
        if let text = EventText(event) { return text }
        statistics.refused(.internalError)
        logger.error("cannot encode an event", metadata: ["event": "\(event.name.rawValue)"])
        return nil
    }

    /// Passes the queued events to the sockets.
    func flush() {
        for id in touched {
            if let client = clients[id] { write(client) }
        }
        touched = []
    }

    /// Passes events to the socket while it has space; the socket calls back for the rest.
    func write(_ client: LiveConnection) {
        guard let socket = client.socket, !client.isHeld else { return }
        var space = socket.space
        var texts: [ByteBuffer] = []
        while space.messages > 0, space.bytes > 0, let item = client.outbox.next() {
            let text = item.payload.message(item.seq)
            space.messages -= 1
            space.bytes -= text.readableBytes
            texts.append(text)
        }
        client.settleQueue()
        statistics.messagesSent(texts.count)
        socket.send(texts)
        guard client.outbox.unsentCount > 0 else { return }
        socket.whenDrained { [onDrained, id = client.id] in onDrained?(id, socket) }
    }

    /// Continues after a socket was full.
    func drained(_ id: ConnectionID, _ socket: any ClientChannel) {
        guard let client = clients[id], client.socket === socket else { return }
        write(client)
    }

    /// Sends the events that were held back until the answer was sent.
    func release(_ client: LiveConnection) {
        guard client.isHeld else { return }
        client.isHeld = false
        write(client)
    }

    // MARK: ends

    /// Returns the clients whose outboxes have become full since the last call, without those that have left.
    func takeSlow() -> Set<ConnectionID> {
        defer { slow = [] }
        return slow.filter { clients[$0] != nil }
    }

    /// Sends a removed client its last event, and closes its socket.
    func close(_ client: LiveConnection, _ reason: DisconnectReason) {
        guard let socket = client.socket else { return }
        client.socket = nil
        var texts: [ByteBuffer] = []
        if reason == .slowConsumer {
            // The client does not get its unread events; the number shows the gap.
            if let event = text(of: .disconnected(Disconnected(reason: reason))) {
                texts.append(event.message(client.outbox.lastSeq + 1))
            }
        } else {
            // The last event may still be in the outbox.
            while let item = client.outbox.next() { texts.append(item.payload.message(item.seq)) }
        }
        statistics.messagesSent(texts.count)
        socket.send(texts)
        socket.close(reason.closeCode, reason.rawValue)
    }
}
