internal import Conference
internal import Signaling

/// One connection of a room: what it is still to be told, its socket while it has one, its peer connections. Confined to its room.
final class RoomClient {
    let id: ConnectionID
    let resumeToken: String
    /// Name and version of the client program, as it says.
    let program: String?
    var socket: ClientSocket?
    var outbox: Outbox<EventText>
    var publisher: PublishPeer?
    var subscriber: SubscribePeer?
    /// Names of its newest events, oldest first, for reports.
    private(set) var recent: [String] = []

    init(
        id: ConnectionID, resumeToken: String, program: String?, socket: ClientSocket, outbox: OutboxLimits
    ) {
        self.id = id
        self.resumeToken = resumeToken
        self.program = program
        self.socket = socket
        self.outbox = Outbox(limits: outbox)
    }

    private static let recentEvents = 64

    /// Queues an event for the client.
    func append(_ text: EventText) throws(Outbox<EventText>.Overflow) {
        try outbox.append(text, bytes: text.bytes)
        if recent.count == Self.recentEvents { recent.removeFirst() }
        recent.append(text.name)
    }
}
