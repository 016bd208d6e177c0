package import Cluster
package import Conference
package import MediaBase
import NIOConcurrencyHelpers
package import Signaling

/// This relay in its cluster: carries out what its rules (`ClusterMember`) decide, on the store and by links. All calls are safe from any
/// thread, and none of them waits except `resolve`.
package final class ClusterNode: Sendable {
    /// Change that the relay's sessions and connections must follow.
    package enum Event: Hashable, Sendable {
        /// Another relay runs the session now.
        case superseded(SessionKey, SessionID)
        /// The store has lost the state of a session of this relay.
        case reclaimed(SessionID)
        /// A relay has ended; connections to it are useless.
        case relayLost(RelayIdentity)
        /// Whether the relay may run the rules of its sessions.
        case acts(Bool)
        /// Another process uses this relay's id.
        case replaced
        case storeFailed(String)
        /// The store did not save the state of a session.
        case saveFailed(SessionID, String)
        case storeAnswers
    }

    private struct State {
        var member: ClusterMember
        var waiting: [ResolveTicket: CheckedContinuation<Resolution, Never>] = [:]
        var lastTicket: UInt64 = 0
        var alarm: Task<Void, Never>?
        var alarmTime = MediaTime.never
        var counts = ClusterCounts()
        var hasStoreFailed = false
        /// Whether the latest save has failed.
        var hasSaveFailed = false
    }

    package let description: RelayDescription
    /// Changes in their order, for one reader.
    package let events: AsyncStream<Event>
    private let report: AsyncStream<Event>.Continuation
    private let store: any ClusterStore
    /// Asks another relay whether it reaches the store; nil if the relay does not answer.
    private let ask: @Sendable (RelayDescription) async -> Bool?
    private let now: @Sendable () -> MediaTime
    private let load: @Sendable () -> RelayLoad
    /// Maximum age of an answer to `ClusterEffect.ask`.
    private let answerTime: MediaTime
    private let beatInterval: MediaTime
    private let leaseTime: MediaTime
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - load: returns the relay's load, for each heartbeat.
    ///   - ask: asks another relay whether it reaches the store; nil if the relay does not answer.
    ///   - now: monotonic clock.
    package init(
        description: RelayDescription, settings: ClusterSettings, store: any ClusterStore,
        load: @escaping @Sendable () -> RelayLoad,
        ask: @escaping @Sendable (RelayDescription) async -> Bool?, now: @escaping @Sendable () -> MediaTime
    ) {
        self.description = description
        self.store = store
        self.load = load
        answerTime = settings.beatInterval
        beatInterval = settings.beatInterval
        leaseTime = settings.leaseTime
        self.ask = ask
        self.now = now
        state = NIOLockedValueBox(State(member: ClusterMember(description: description, settings: settings)))
        (events, report) = AsyncStream.makeStream()
    }

    /// Registers the relay and begins its heartbeats.
    package func start() {
        change { member, time in
            member.note(load())
            member.start(now: time)
        }
    }

    /// Ends the membership in an orderly way: other relays can take the sessions over at once.
    package func leave() async {
        let effects = state.withLockedValue { state in
            state.member.leave()
            return finish(&state, now())
        }
        for effect in effects {
            if case .store(let ticket, let request) = effect {
                await send(ticket, request)
            } else {
                perform([effect])
            }
        }
        report.finish()
    }

    /// Returns the home relay of a session.
    ///
    /// - Parameters:
    ///   - newID: id of the session if there is none yet; nil: a session that does not exist is `unknown`.
    ///   - isProxied: whether another relay asks for its client.
    package func resolve(_ key: SessionKey, newID: SessionID?, isProxied: Bool) async -> Resolution {
        await resolve { $0.resolve(key, newID: newID, isProxied: isProxied, ticket: $1, now: $2) }
    }

    /// Returns the home relay of the session with this id.
    package func resolve(_ id: SessionID) async -> Resolution {
        await resolve { $0.resolve(id, ticket: $1, now: $2) }
    }

    /// Forgets the home relay of a session after that relay has said that it is none.
    package func forget(_ key: SessionKey, at home: RelayIdentity) {
        change { member, _ in member.forget(key, at: home) }
    }

    /// Notes that a client uses a session of this relay.
    package func opened(_ id: SessionID) { change { member, _ in member.opened(id) } }

    /// Notes that a session of this relay has ended.
    package func ended(_ id: SessionID) { change { member, _ in member.ended(id) } }

    /// Returns the tenure under which a session of this relay can be saved; nil if it cannot be at the moment.
    package func tenure(of id: SessionID) -> SessionTenure? { state.withLockedValue { $0.member.tenure(of: id) } }

    /// Returns the name of a session of this relay.
    package func key(of id: SessionID) -> SessionKey? { state.withLockedValue { $0.member.key(of: id) } }

    /// Saves changes of a session of this relay.
    package func save(_ id: SessionID, _ changes: SessionChanges, under tenure: SessionTenure) async -> SaveResult {
        let result = await perform(.save(id, tenure, changes))
        if case .failure(let failure) = result {
            let isFirst = state.withLockedValue { state in
                defer { state.hasSaveFailed = true }
                return !state.hasSaveFailed
            }
            if isFirst { report.yield(.saveFailed(id, failure.reason)) }
            return .failed
        }
        state.withLockedValue { $0.hasSaveFailed = false }
        switch result {
        case .success(.saved): return .saved
        case .success(.saveRefused):
            change { $0.saveRefused(id, tenure, now: $1) }
            return .refused
        case .success, .failure: return .failed
        }
    }

    /// Reads the state of a session that this relay has taken over.
    /// - Returns: nil if the session is new.
    package func load(_ id: SessionID) async throws(StoreFailure) -> (StoredSession, SessionTenure)? {
        let tenure = state.withLockedValue { $0.member.mayHaveState(id) ? $0.member.tenure(of: id) : nil }
        guard let tenure else { return nil }
        switch try await perform(.load(id, tenure)).get() {
        case .loaded(let stored): return (stored, tenure)
        default:
            change { $0.saveRefused(id, tenure, now: $1) }
            throw StoreFailure("another relay has taken the session over")
        }
    }

    /// Returns whether a relay of the cluster has the certificate with this fingerprint, as of the last heartbeat.
    package func knows(fingerprint: String) -> Bool {
        state.withLockedValue { $0.member.table.all.contains { $0.description.fingerprint == fingerprint } }
    }

    /// This run of the relay; nil while it is no member of the cluster.
    package var identity: RelayIdentity? { state.withLockedValue { $0.member.identity } }

    /// Returns another relay, as of the last heartbeat; nil if it has ended.
    package func relay(_ identity: RelayIdentity) -> RelayDescription? {
        state.withLockedValue { $0.member.table.all.first { $0.identity == identity && $0.isAlive }?.description }
    }

    /// Returns the other relays, as of the last heartbeat, with whether each had missed at most one of its own. Relays whose leases end
    /// before the next heartbeat are left out.
    ///
    /// - Parameter linkVersion: relays of earlier versions are left out too.
    package func others(linkVersion: Int) -> [RelayIdentity: Bool] {
        state.withLockedValue { state in
            let others = state.member.table.all.filter {
                $0.isAlive && $0.identity.id != description.id && $0.description.linkVersion >= linkVersion
                    && $0.silence + beatInterval < leaseTime
            }
            return Dictionary(others.map { ($0.identity, $0.silence <= beatInterval + beatInterval) }) { first, _ in
                first
            }
        }
    }

    /// Whether the relay may run the rules of its sessions.
    package var mayAct: Bool { state.withLockedValue { $0.member.mayAct(now()) } }

    /// Whether the relay may run the rules of its sessions, and whether no relay reaches the store.
    package var standing: (acts: Bool, isStoreDown: Bool) {
        state.withLockedValue { ($0.member.mayAct(now()), $0.member.isStoreDown(now())) }
    }

    /// Whether the relay holds its lease, and so reaches the store.
    package var reachesStore: Bool { state.withLockedValue { $0.member.reachesStore(now()) } }

    /// Counters and the state of the membership.
    package var status: ClusterStatus {
        state.withLockedValue { state in
            ClusterStatus(
                isMember: state.member.identity != nil, acts: state.member.mayAct(now()),
                relays: state.member.table.all, sessions: state.member.sessionCount, counts: state.counts)
        }
    }

    /// Reads all relays, and at most `limit` sessions, from the store.
    package func list(limit: Int) async throws(StoreFailure) -> ([RelayRecord], [SessionPlacement]) {
        guard case .listing(let relays, let sessions) = try await store.perform(.list(limit: limit)) else {
            throw StoreFailure("the store gave another answer")
        }
        return (relays, sessions)
    }

    private func resolve(_ ask: (inout ClusterMember, ResolveTicket, MediaTime) -> Void) async -> Resolution {
        await withCheckedContinuation { continuation in
            let effects = state.withLockedValue { state in
                let time = now()
                state.lastTicket += 1
                let ticket = ResolveTicket(rawValue: state.lastTicket)
                state.waiting[ticket] = continuation
                ask(&state.member, ticket, time)
                return finish(&state, time)
            }
            perform(effects)
        }
    }

    private func change(_ body: (inout ClusterMember, MediaTime) -> Void) {
        let effects = state.withLockedValue { state in
            let time = now()
            body(&state.member, time)
            return finish(&state, time)
        }
        perform(effects)
    }

    // MARK: effects

    /// Takes the effects, reports changes in their order, and sets the alarm.
    private func finish(_ state: inout State, _ time: MediaTime) -> [ClusterEffect] {
        var effects: [ClusterEffect] = []
        for effect in state.member.takeEffects(now: time) {
            switch effect {
            case .superseded(let key, let id):
                state.counts.superseded += 1
                report.yield(.superseded(key, id))
            case .reclaimed(let id): report.yield(.reclaimed(id))
            case .relayLost(let relay): report.yield(.relayLost(relay))
            case .acts(let acts): report.yield(.acts(acts))
            case .replaced: report.yield(.replaced)
            case .store, .resolved, .ask: effects.append(effect)
            }
        }
        let failure = state.member.storeFailure
        if (failure != nil) != state.hasStoreFailed {
            state.hasStoreFailed = failure != nil
            report.yield(failure.map { .storeFailed($0.reason) } ?? .storeAnswers)
        }
        rearm(&state, time)
        return effects
    }

    private func perform(_ effects: [ClusterEffect]) {
        for effect in effects {
            switch effect {
            case .store(let ticket, let request):
                Task { await self.send(ticket, request) }
            case .resolved(let ticket, let resolution):
                let waiting = state.withLockedValue { state in
                    state.counts.note(resolution)
                    return state.waiting.removeValue(forKey: ticket)
                }
                waiting?.resume(returning: resolution)
            case .ask(let relays):
                for relay in relays {
                    Task {
                        let asked = self.now()
                        guard let reachesStore = await self.ask(relay), self.now() - asked <= self.answerTime else {
                            return
                        }
                        self.change { $0.relayAnswered(relay.id, reachesStore: reachesStore, now: $1) }
                    }
                }
            case .superseded, .reclaimed, .relayLost, .acts, .replaced: break
            }
        }
    }

    private func send(_ ticket: StoreTicket, _ request: StoreRequest) async {
        let result = await perform(request)
        change { $0.answered(ticket, result, now: $1) }
    }

    /// Carries a request out on the store, and counts it.
    private func perform(_ request: StoreRequest) async -> Result<StoreAnswer, StoreFailure> {
        let began = now()
        let result: Result<StoreAnswer, StoreFailure>
        do throws(StoreFailure) {
            result = .success(try await store.perform(request))
        } catch {
            result = .failure(error)
        }
        let time = now() - began
        state.withLockedValue { state in
            switch result {
            case .success: state.counts.storeRequests += 1
            case .failure: state.counts.storeFailures += 1
            }
            if case .beat = request { state.counts.beatTime = time }
        }
        return result
    }

    // MARK: time

    private func rearm(_ state: inout State, _ time: MediaTime) {
        let deadline = state.member.deadline
        guard deadline != state.alarmTime else { return }
        state.alarmTime = deadline
        state.alarm?.cancel()
        state.alarm = nil
        guard deadline != .never else { return }
        let wait = Duration.nanoseconds(max((deadline - time).rawValue, 0))
        state.alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: wait)) != nil else { return }
            self?.alarmRang()
        }
    }

    private func alarmRang() {
        state.withLockedValue { $0.alarmTime = .never }
        let load = load()
        change { member, time in
            member.note(load)
            member.handleTimeout(now: time)
        }
    }

    deinit { state.withLockedValue { $0.alarm?.cancel() } }
}
