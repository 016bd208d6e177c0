import Forwarding
import MediaBase

/// Session on its worker: a router, the published streams, and the transports of publishers and subscribers.
final class EngineSession {
    let name: String
    let router = Router()
    /// In order of publication.
    private(set) var streams: [EngineStream] = []
    private var streamsByName: [String: EngineStream] = [:]
    var publishers = TransportTable<PublishTransport>()
    var subscribers = TransportTable<SubscribeTransport>()
    /// Plain subscribers whose video may still be started again (`StartSchedule`).
    var starting: [SubscribeTransport] = []
    /// Subscribers by the indices of their paths.
    var subscribersByPath: [Int: SubscribeTransport] = [:]
    /// Streams whose publishers have not connected yet.
    var reserved = ReservedStreams()
    /// Number of subscribers that were offered a connection and have not answered yet.
    var awaited = 0
    /// Deadline to send the packets pending in the router; `.never` if none are pending.
    var flushAt: MediaTime = .never
    /// Whether the worker's list of sessions with pending packets holds this session.
    var isDirty = false
    /// Whether the worker's list of sessions with a consumer that catches up holds this session.
    var isCatchingUp = false
    var audioProducers = 0
    /// End of the first second of the newest path.
    var newPathUntil: MediaTime = .zero
    /// Bytes sent recently, in all and as retransmissions (halved every second). They limit the share of retransmissions.
    var sentBytes: UInt64 = 0
    var retransmittedBytes: UInt64 = 0
    /// Time at which reports to publishers and subscribers are due next.
    var reportsAt: MediaTime = .zero
    /// Time at which points of the peers' quality timelines are due next.
    var qualityAt: MediaTime = .zero
    /// Time at which housekeeping is due next; in the past while packets arrive. Only `HousekeepingSchedule` changes it.
    var visitDue: MediaTime = .zero

    /// The main part of the session and the subsessions that have streams, in order of creation.
    private(set) var subsessions: [EngineSubsession]
    private let loudest: Int
    let limits: EngineLimits
    private var effects: [SessionEffect] = []

    /// Number of sending ends of pipes among the subscribers.
    var pipes = 0
    /// Time at which rates of encodings that pipes do not send are announced next.
    var announceAt: MediaTime = .zero
    /// Number of receiving ends of pipes whose senders are told which encodings to send.
    var demandingPipes = 0
    /// Time at which the demands are repeated next.
    var demandAt: MediaTime = .zero
    /// Whether the streams have not changed since they were described for pipes.
    var arePipesTold = false

    /// Home part: the parts on other workers.
    var parts = SessionParts()
    /// Other parts: their state; nil: this is the home part.
    var part: PartState?
    /// Whether the session's publishers are on another worker.
    let isPart: Bool
    /// Number of the session's transports on each worker, and this worker; nil while it has one part.
    private(set) var transports: (all: WorkerTotal, worker: Int)?

    /// - Parameters:
    ///   - loudest: audio tracks of each subsession that are forwarded at a time; 0: all.
    ///   - part: state of a part on another worker than the publishers; nil: this is the home part.
    init(name: String, loudest: Int, limits: EngineLimits = EngineLimits(), part: PartState? = nil) {
        self.name = name
        // The home part selects the audio of all parts.
        self.loudest = part == nil ? loudest : 0
        self.limits = limits
        self.part = part
        isPart = part != nil
        subsessions = [EngineSubsession(name: EngineSubsession.main, loudest: self.loudest)]
    }

    // MARK: effects

    /// Adds an effect that the worker carries out after the change.
    func emit(_ effect: SessionEffect) { effects.append(effect) }

    var hasEffects: Bool { !effects.isEmpty }

    /// Returns the effects of the changes since the last call, in their order.
    func takeEffects() -> [SessionEffect] {
        defer { effects = [] }
        return effects
    }

    // MARK: limits

    /// Checks that the session may have one more transport.
    /// - Parameter unestablished: number of its peers that have not connected yet.
    func admitTransport(unestablished: Int, _ counters: inout EngineCounters) throws(EngineError) {
        let own = transportCount(unestablished: unestablished)
        let others = transports.map { $0.all.sum - $0.all.amount(of: $0.worker) } ?? 0
        guard own + others < limits.transportsPerSession else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "transportsPerSession", limit: limits.transportsPerSession)
        }
        if let transports { transports.all.set(own + 1, of: transports.worker) }
    }

    /// Shares the number of transports with other parts from now on.
    /// - Parameter worker: index of this part's worker.
    func countTransports(in all: WorkerTotal, of worker: Int) { transports = (all, worker) }

    /// Tells the other parts the number of this part's transports.
    func shareTransports(unestablished: Int) {
        guard let transports else { return }
        transports.all.set(transportCount(unestablished: unestablished), of: transports.worker)
    }

    private func transportCount(unestablished: Int) -> Int {
        publishers.count + subscribers.count + awaited + unestablished
    }

    /// Checks that streams of these names can be published.
    func admit(_ names: [String], _ counters: inout EngineCounters) throws(EngineError) {
        guard streams.count + reserved.count + names.count <= limits.streamsPerSession else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "streamsPerSession", limit: limits.streamsPerSession)
        }
        for name in names {
            guard name != PlainTransportRequest.allStreams else {
                throw .invalidRequest(field: "stream", reason: "this name stands for every stream")
            }
            guard stream(named: name) == nil, reserved[name] == nil else { throw .streamExists(name) }
        }
    }

    // MARK: streams

    /// Returns the publisher of a stream.
    func publisher(of stream: EngineStream) -> PublishTransport? { publishers[stream.source.transport] }

    /// Returns the streams of a publisher.
    func streams(of transport: PublishTransport) -> [EngineStream] {
        streams.filter { $0.source.transport == transport.id }
    }

    func stream(named name: String) -> EngineStream? { streamsByName[name] }

    /// Returns a stream that is published at this relay.
    func publishedStream(named name: String) throws(EngineError) -> EngineStream {
        guard let found = stream(named: name) else { throw .unknownStream(name) }
        guard !found.source.isPipe else { throw .publishedElsewhere }
        return found
    }

    /// Returns the newest stream whose video, if it has any, is in one of these codecs; if there is none, the newest stream.
    /// - Parameter codecs: nil: all codecs.
    func newestStream(in codecs: [VideoCodec]?) -> EngineStream? {
        streams.last { stream in stream.codec.map { codecs?.contains($0) ?? true } ?? true } ?? streams.last
    }

    /// Adds a stream. The session must not have one of that name.
    func add(_ stream: EngineStream) {
        precondition(streamsByName.updateValue(stream, forKey: stream.name) == nil)
        stream.subsession.streams += 1
        streams.append(stream)
        parts.change()
        notePipeChange(of: stream)
    }

    /// Makes a new description of a stream due for the other parts of the session, and for pipes.
    func noteChange(of stream: EngineStream) {
        notePipeChange(of: stream)
        guard !parts.isEmpty else { return }
        stream.replica = nil
        parts.change()
    }

    func remove(_ stream: EngineStream) {
        streamsByName[stream.name] = nil
        streams.removeAll { $0 === stream }
        leave(stream.subsession)
        parts.change()
        notePipeChange(of: stream)
    }

    /// Returns the subsession of a transport's streams; creates it if necessary.
    func subsession(of transport: PublishTransport) -> EngineSubsession { subsession(named: transport.subsession) }

    func subsession(named name: String) -> EngineSubsession {
        if let subsession = subsessions.first(where: { $0.name == name }) { return subsession }
        let subsession = EngineSubsession(name: name, loudest: loudest)
        subsessions.append(subsession)
        return subsession
    }

    /// Moves one of the session's streams to another subsession.
    func move(_ stream: EngineStream, to subsession: EngineSubsession) {
        subsession.streams += 1
        leave(stream.subsession)
        stream.subsession = subsession
        noteChange(of: stream)
    }

    /// Counts a stream out of a subsession. An empty subsession is removed, except for the main part.
    private func leave(_ subsession: EngineSubsession) {
        subsession.streams -= 1
        if subsession.streams == 0, subsession.name != EngineSubsession.main {
            subsessions.removeAll { $0 === subsession }
        }
    }

    var isEmpty: Bool {
        publishers.isEmpty && subscribers.isEmpty && reserved.isEmpty && awaited == 0 && parts.isEmpty
            && part?.waiting.isEmpty ?? true
    }
}
