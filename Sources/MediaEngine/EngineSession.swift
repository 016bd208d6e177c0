import Forwarding
import MediaBase

/// One session on its worker: a router, the streams published in it and the transports that feed and drain it.
final class EngineSession {
    let name: String
    let router = Router()
    /// In order of publication.
    private(set) var streams: [EngineStream] = []
    private var streamsByName: [String: EngineStream] = [:]
    var publishers = TransportTable<PublishTransport>()
    var subscribers = TransportTable<SubscribeTransport>()
    /// Plain subscribers of which nothing has been heard yet.
    var starting: [SubscribeTransport] = []
    /// Subscribers by the index of a path of theirs.
    var subscribersByPath: [Int: SubscribeTransport] = [:]
    /// Streams whose publishers have been answered but have not connected yet, by their names: the kinds that start muted.
    var reserved: [String: Set<MediaKind>] = [:]
    /// Subscribers that have been offered a connection and have not answered yet.
    var awaited = 0
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

    /// Its rooms that have streams, and the main one, in the order of their making.
    private(set) var rooms: [EngineRoom]
    private let loudest: Int

    /// - Parameter loudest: audio tracks of a room that are forwarded at a time; 0: all.
    init(name: String, loudest: Int) {
        self.name = name
        self.loudest = loudest
        rooms = [EngineRoom(name: EngineRoom.main, loudest: loudest)]
    }

    func stream(named name: String) -> EngineStream? { streamsByName[name] }

    /// The name must not be there yet.
    func add(_ stream: EngineStream) {
        precondition(streamsByName.updateValue(stream, forKey: stream.name) == nil)
        stream.room.streams += 1
        streams.append(stream)
    }

    func remove(_ stream: EngineStream) {
        streamsByName[stream.name] = nil
        streams.removeAll { $0 === stream }
        leave(stream.room)
    }

    /// Where streams of a transport are; made if need be.
    func room(of transport: PublishTransport) -> EngineRoom { room(named: transport.peer?.room ?? EngineRoom.main) }

    func room(named name: String) -> EngineRoom {
        if let room = rooms.first(where: { $0.name == name }) { return room }
        let room = EngineRoom(name: name, loudest: loudest)
        rooms.append(room)
        return room
    }

    /// Takes a stream of its own to another room.
    func move(_ stream: EngineStream, to room: EngineRoom) {
        room.streams += 1
        leave(stream.room)
        stream.room = room
    }

    /// Rooms without streams are not kept.
    private func leave(_ room: EngineRoom) {
        room.streams -= 1
        if room.streams == 0, room.name != EngineRoom.main { rooms.removeAll { $0 === room } }
    }

    var isEmpty: Bool { publishers.isEmpty && subscribers.isEmpty && reserved.isEmpty && awaited == 0 }
}
