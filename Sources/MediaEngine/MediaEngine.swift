import CLinuxNet
import DTLS
package import MediaBase
package import SDP
package import SRTP
import Synchronization

/// The media plane: N workers with one thread each, which share nothing. A new session goes to the worker with the least load, its home
/// worker, where its streams are published; every call about it runs there, between two batches of packets. Once that worker is loaded,
/// further subscribers of the session go to other workers, which get its packets by links (`SessionParts`).
///
/// ```swift
/// let engine = try MediaEngine(configuration: EngineConfiguration())
/// var request = PlainTransportRequest(direction: .publish, session: "demo")
/// request.stream = "camera"
/// let publisher = try await engine.openPlain(request)   // where to send, under which SSRC and key
/// ```
package final class MediaEngine: Sendable {
    package let configuration: EngineConfiguration
    private let threads: [WorkerThread]
    private var workers: [Worker] { threads.map(\.worker) }
    private let events: EventSink
    var placement: SharedPlacement { router.placement }
    let router: CallRouter
    private let totals: WorkerTotals
    private let isStopped = Atomic<Bool>(false)

    /// Binds the sockets and starts the threads.
    package init(configuration: EngineConfiguration = EngineConfiguration()) throws(EngineError) {
        guard (1...256).contains(configuration.workers) else {
            throw .invalidRequest(field: "workers", reason: "must be 1 to 256")
        }
        guard (MediaTime.zero...MediaTime.milliseconds(5)).contains(configuration.gather) else {
            throw .invalidRequest(field: "gather", reason: "must be 0 to 5 ms")
        }
        self.configuration = configuration
        events = EventSink()
        var workers: [Worker] = []
        let identity = try Self.identity(configuration.webRTC.certificate)
        totals = WorkerTotals(workers: configuration.workers)
        // Peers that have not connected can outlive their session, and keep its worker until they end.
        let placement = SharedPlacement(
            workers: configuration.workers,
            limit: configuration.limits.sessions + configuration.webRTC.unestablishedTransports)
        for index in 0..<configuration.workers {
            workers.append(
                try Worker(
                    index: index, configuration: configuration, identity: identity, events: events, totals: totals,
                    placement: placement))
        }
        let mailboxes = workers.map(\.mailbox)
        totals.connect(mailboxes)
        router = CallRouter(configuration, placement: placement, mailboxes: mailboxes)
        threads = workers.map(WorkerThread.init)
        for thread in threads { thread.start() }
    }

    deinit { stop() }

    static func identity(_ certificate: WebRTCConfiguration.Certificate) throws(EngineError) -> DTLSIdentity {
        do {
            return try DTLSIdentity.generate(certificate == .ecdsa ? .ecdsaP256 : .rsa2048)
        } catch {
            throw .invalidRequest(field: "certificate", reason: "\(error)")
        }
    }

    /// Closes every transport and socket, ends the threads and waits for their end. Later calls
    /// throw `.stopped`; a second `stop` does nothing.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for thread in threads { thread.stop() }
        events.finish()
    }

    /// Returns the stream events from now on, for one reader. A reader that is too slow gets `missed`.
    package func observeStreams() -> AsyncStream<StreamEvent> { events.addReader() }

    /// Events that readers did not get; each reader is told with a `missed` event.
    package var missedEvents: UInt64 { events.missed }

    /// RTP port of each worker's plain transports; RTCP is on the port after it.
    package var plainPorts: [UInt16] { workers.map(\.rtpPort) }

    /// Implementation that the workers protect packets with.
    package var protection: FanoutProtector.Backend { threads[0].worker.egress.protector.backend }

    /// Port of each worker's WebRTC peers.
    package var webRTCPorts: [UInt16] { workers.map(\.webRTCPort) }

    // MARK: transports

    package func openPlain(_ request: PlainTransportRequest) async throws(EngineError) -> PlainTransport {
        try await run(.transport(publishes: request.direction == .publish, session: request.session)) {
            (worker, quiesced) throws(EngineError) in
            try worker.openPlain(request, quiesced)
        }
    }

    package func closePlain(_ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.closePlain(id, session: session, quiesced)
        }
    }

    /// Pauses or resumes one kind of media for one subscriber. No renegotiation follows.
    package func setPaused(_ id: TransportID, session: String, kind: MediaKind, paused: Bool) async throws(EngineError)
    {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setPaused(session, id, kind, paused, quiesced)
        }
    }

    /// Answers a client's offer. The client has `connectTimeout` to connect; its published stream exists from then on.
    package func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer {
        try await run(.transport(publishes: request.direction == .publish, session: request.session)) {
            (worker, quiesced) throws(EngineError) in
            try worker.openWebRTC(request, quiesced)
        }
    }

    package func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.closeWebRTC(id, session: session, quiesced)
        }
    }

    /// Restarts ICE with the client's new credentials (RFC 8445 section 9).
    /// - Returns: the relay's new credentials.
    package func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials)
        async throws(EngineError) -> ICECredentials
    {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.restartICE(id, session: session, peer: credentials)
        }
    }

    /// Sets the layers of video that a subscriber gets.
    package func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setLayer(id, session: session, choice, quiesced)
        }
    }

    /// Returns the state of a transport; throws `unknownTransport` once it has ended.
    package func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot {
        try await run(.transport(id, session: session)) { (worker, _) throws(EngineError) in
            try worker.webRTC(id, session: session)
        }
    }

    // MARK: streams

    package func sessions() async -> [SessionSnapshot] {
        var all: [String: SessionSnapshot] = [:]
        for index in workers.indices {
            for part in (try? await run(on: index) { worker, _ in worker.snapshot() }) ?? [] {
                if all[part.name] == nil { all[part.name] = part } else { all[part.name]?.add(part) }
            }
        }
        return all.values.sorted { $0.name < $1.name }
    }

    package func streams(session: String) async throws(EngineError) -> [StreamSnapshot] {
        var (streams, parts) = try await run(.home(session: session)) { (worker, _) throws(EngineError) in
            try (worker.streams(session), worker.sessions.find(session).parts.all.map(\.worker))
        }
        for part in parts {
            let counts = try await run(on: part) { worker, _ in worker.subscriberCounts(session) }
            for i in streams.indices { streams[i].subscribers += counts[streams[i].name] ?? 0 }
        }
        return streams
    }

    /// Mutes or unmutes a track at the relay: its packets are dropped on arrival, whatever the publisher sends.
    package func setMuted(session: String, stream: String, kind: MediaKind, muted: Bool) async throws(EngineError) {
        try await run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.setMuted(session, stream, kind, muted, quiesced)
        }
    }

    /// Requests a key frame from the publisher (RFC 4585 section 6.3.1), at most once every 500 ms.
    /// - Parameter tap: tap of the stream, whose encoding is asked for; nil: the largest that arrives.
    package func requestKeyFrame(session: String, stream: String, for tap: PacketTap? = nil)
        async throws(EngineError)
    {
        try await run(.home(session: session)) { (worker, _) throws(EngineError) in
            try worker.requestKeyFrame(session, stream, for: tap)
        }
    }

    /// Sends a plain subscriber the cached frames since the last key frame again, and requests a new key frame from the publisher.
    package func requestKeyFrame(_ id: TransportID, session: String) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.requestKeyFrame(id, session: session, quiesced)
        }
    }

    /// Opens a tap: a decrypted copy of a stream's packets.
    /// - Parameters:
    ///   - capacity: bytes that may wait for the reader.
    ///   - chooses: the reader chooses the encoding of simulcast (`PacketTap.maximumEncoding`); otherwise it gets the largest that arrives.
    package func openTap(
        session: String, stream: String, kinds: Set<MediaKind> = Set(MediaKind.allCases), capacity: Int = 4 << 20,
        decodes: Bool = false, chooses: Bool = false
    ) async throws(EngineError) -> PacketTap {
        try await run(.home(session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.openTap(session, stream, kinds, capacity, decodes: decodes, chooses: chooses)
        }
    }

    package func counters() async -> EngineCounters {
        var sum = EngineCounters()
        for index in workers.indices {
            if let counters = try? await run(on: index, { worker, _ in worker.countersNow() }) { sum.add(counters) }
        }
        sum.refusedLimit &+= placement.refused
        return sum
    }

    /// Load and number of sessions of each worker, in the order of their indices.
    package var workerSnapshots: [WorkerSnapshot] {
        let now = MediaTime(rawValue: millrace_monotonic_ns())
        return placement.loads.enumerated().map { index, load in
            WorkerSnapshot(load: Double(load.load(at: now)) / 1000, sessions: totals.sessions.amount(of: index))
        }
    }

    // MARK: mailboxes

    /// Posts a call that stops or resumes media, and returns at once.
    func begin(_ target: CallTarget, _ body: @escaping CallRouter.Body<Void>) -> EngineCall {
        EngineCall { outcome in
            router.post(target, isUrgent: true, waitsForParts: true, body) { outcome.settle($0) }
        }
    }

    /// Runs a call on its worker.
    /// - Parameter waitsForParts: returns when all parts of the session have applied the call.
    func run<R: Sendable>(
        _ target: CallTarget, isUrgent: Bool = false, waitsForParts: Bool = false, _ body: @escaping CallRouter.Body<R>
    ) async throws(EngineError) -> R {
        let result = await withCheckedContinuation { continuation in
            router.post(target, isUrgent: isUrgent, waitsForParts: waitsForParts, body) {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }

    private func run<R: Sendable>(on worker: Int, _ body: @escaping CallRouter.Body<R>) async throws(EngineError) -> R {
        let result = await withCheckedContinuation { continuation in
            router.post(to: worker, body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }
}
