import MediaEngine
import NIOConcurrencyHelpers

/// Event sources of all WHEP resources, by resource and by session. The streams of a session are read once for all its sources: when the
/// media engine reports a change, and once a second.
final class EventSources: Sendable {
    /// Maximum number of sources of one resource.
    static let perResource = 4
    private static let interval = Duration.seconds(1)
    /// Interval between comments to clients that get no events, in multiples of `interval`.
    private static let beat = 15

    /// State of the task that reads the streams of one session.
    private struct Watch {
        let wake: AsyncStream<Void>.Continuation
        /// Sources of the session, by their ids.
        var sources: [String: EventSource]
    }

    private struct State {
        var sources: [String: EventSource] = [:]
        var byTransport: [TransportID: [EventSource]] = [:]
        /// Watches by the engine's name of the session.
        var sessions: [String: Watch] = [:]
        var ticker: Task<Void, Never>?
        var ticks = 0
    }

    private let plane: any WebRTCMediaPlane
    private let state = NIOLockedValueBox(State())

    init(plane: any WebRTCMediaPlane) { self.plane = plane }

    deinit {
        state.withLockedValue { state in
            state.ticker?.cancel()
            for watch in state.sessions.values { watch.wake.finish() }
        }
    }

    var count: Int { state.withLockedValue { $0.sources.count } }

    subscript(id: String) -> EventSource? { state.withLockedValue { $0.sources[id] } }

    /// - Throws: `limitReached` if the resource has `perResource` sources.
    func add(_ source: EventSource) throws(Problem) {
        let (isAdded, wakes) = state.withLockedValue { state -> (Bool, AsyncStream<Void>?) in
            guard state.byTransport[source.transport, default: []].count < Self.perResource else { return (false, nil) }
            state.sources[source.id] = source
            state.ticker = state.ticker ?? makeTicker()
            state.byTransport[source.transport, default: []].append(source)
            if let watch = state.sessions[source.session] {
                state.sessions[source.session]?.sources[source.id] = source
                watch.wake.yield()
                return (true, nil)
            }
            let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            wake.yield()
            state.sessions[source.session] = Watch(wake: wake, sources: [source.id: source])
            return (true, wakes)
        }
        guard isAdded else {
            throw Problem(.limitReached, "a resource has at most \(Self.perResource) event sources", retryAfter: 5)
        }
        guard let wakes else { return }
        Task { [weak self, session = source.session] in
            for await _ in wakes { await self?.look(at: session) }
        }
    }

    /// Ends one source.
    func remove(_ source: EventSource) {
        state.withLockedValue { state in
            guard state.sources.removeValue(forKey: source.id) != nil else { return }
            state.byTransport[source.transport]?.removeAll { $0 === source }
            if state.byTransport[source.transport]?.isEmpty == true { state.byTransport[source.transport] = nil }
            state.sessions[source.session]?.sources[source.id] = nil
            guard let watch = state.sessions[source.session], watch.sources.isEmpty else { return }
            state.sessions[source.session] = nil
            watch.wake.finish()
        }
        source.end()
    }

    /// Ends the sources of a resource that has ended.
    func end(_ transport: TransportID) {
        for source in state.withLockedValue({ $0.byTransport[transport] ?? [] }) { remove(source) }
    }

    /// Handles an event of the media engine.
    func note(_ event: StreamEvent) {
        switch event {
        case .published(let session, _, _), .closed(let session, _, _), .mediaBegan(let session, _, _, _),
            .dimensions(let session, _, _, _, _), .mirrored(let session, _), .missed(let session?):
            state.withLockedValue { $0.sessions[session]?.wake }?.yield()
        case .missed(nil): wakeAll()
        case .peerGone(_, let transport): end(transport)
        case .trackPaused, .trackResumed, .unsupportedCodec, .supportedCodec, .framesReordered, .noMediaPath,
            .activeSpeaker, .pipedStreamsChanged:
            break
        }
    }

    private func wakeAll() { for watch in state.withLockedValue({ Array($0.sessions.values) }) { watch.wake.yield() } }

    private func makeTicker() -> Task<Void, Never> {
        Task { [weak self] in
            while (try? await Task.sleep(for: Self.interval)) != nil, let self, tick() {}
        }
    }

    /// - Returns: false if there is no source any more, so that the ticker ends.
    private func tick() -> Bool {
        let sources = state.withLockedValue { state -> [EventSource]? in
            guard !state.sources.isEmpty else {
                state.ticker = nil
                return nil
            }
            state.ticks += 1
            return state.ticks % Self.beat == 0 ? Array(state.sources.values) : []
        }
        guard let sources else { return false }
        wakeAll()
        for source in sources { source.beat() }
        return true
    }

    private func look(at session: String) async {
        let sources = state.withLockedValue { $0.sessions[session].map { Array($0.sources.values) } ?? [] }
        guard !sources.isEmpty else { return }
        // `Conference` ends resources without an event of the engine.
        for transport in Set(sources.map(\.transport)) {
            do throws(EngineError) {
                _ = try await plane.webRTC(transport, session: session)
            } catch {
                switch error {
                case .unknownTransport, .unknownSession, .stopped: end(transport)
                // The worker's queue of calls is full; the next check decides.
                default: break
                }
            }
        }
        let streams: [StreamSnapshot]
        do throws(EngineError) {
            streams = try await plane.streams(session: session)
        } catch {
            guard case .unknownSession = error else { return }
            streams = []
        }
        let byName = Dictionary(streams.map { ($0.name, $0) }) { first, _ in first }
        for source in sources { source.update(StreamState(byName[source.stream])) }
    }
}
