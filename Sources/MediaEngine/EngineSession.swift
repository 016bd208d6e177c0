internal import Forwarding
internal import MediaBase

/// One session on its worker: a router, the streams published in it and the transports that feed and drain it.
final class EngineSession {
    let name: String
    let router = Router()
    /// In order of publication.
    private(set) var streams: [EngineStream] = []
    private var streamsByName: [String: EngineStream] = [:]
    var publishers = TransportTable<PublishTransport>()
    var subscribers = TransportTable<SubscribeTransport>()
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

    /// Which audio tracks are heard.
    var loudest: LoudestSelector
    var speakers = ActiveSpeakerDetector()

    /// - Parameter loudest: audio tracks that are forwarded at a time; 0: all.
    init(name: String, loudest: Int) {
        self.name = name
        self.loudest = LoudestSelector(limit: loudest)
    }

    func stream(named name: String) -> EngineStream? { streamsByName[name] }

    /// The name must not be there yet.
    func add(_ stream: EngineStream) {
        precondition(streamsByName.updateValue(stream, forKey: stream.name) == nil)
        streams.append(stream)
    }

    func remove(_ stream: EngineStream) {
        streamsByName[stream.name] = nil
        streams.removeAll { $0 === stream }
    }

    var isEmpty: Bool { publishers.isEmpty && subscribers.isEmpty && reserved.isEmpty && awaited == 0 }
}
