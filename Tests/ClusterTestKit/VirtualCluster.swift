package import Cluster
package import Conference
package import MediaBase
import MillraceTestKit
import Signaling

/// Relays of a cluster, their store and their clients in virtual time. All delays, losses and decisions of clients follow from the seed.
///
/// A request whose failure was reported is not carried out later: connections to the store have this property as long as they fail within the
/// time limit of a request. The relays know each other from the start; new ids do not appear.
package final class VirtualCluster {
    enum Event {
        case timer(relay: Int, number: Int)
        case request(relay: Int, process: Int, StoreTicket, StoreRequest, sent: MediaTime)
        case answer(relay: Int, process: Int, StoreTicket, Result<StoreAnswer, StoreFailure>)
        case ask(of: Int, by: Int, process: Int, sent: MediaTime)
        case report(of: Int, Bool, to: Int, process: Int, sent: MediaTime)
        /// A client sends its request.
        case send(client: Int, attempt: Int)
        case resolve(relay: Int, client: Int, attempt: Int)
        case open(relay: Int, process: Int, client: Int, attempt: Int, SessionID)
        case leave(client: Int, attempt: Int)
        /// A client changes the state of its session.
        case change(client: Int, attempt: Int)
        /// Timer of a session's state.
        case state(relay: Int, process: Int, SessionID)
        case stateRequest(relay: Int, process: Int, SessionID, number: Int, StoreRequest, sent: MediaTime)
        case stateAnswer(
            relay: Int, process: Int, SessionID, number: Int, StoreRequest, Result<StoreAnswer, StoreFailure>)
        case restart(relay: Int)
        case kill(relay: Int, process: Int)
        case repair(relay: Int)
        case join(Int, Int)
        case load(relay: Int)
    }

    /// Time limit of a request to the store.
    static let requestTime = MediaTime.milliseconds(3_050)
    /// Time within which a client gets an answer from a relay that runs.
    static let answerTime = MediaTime.seconds(10)

    package let seed: UInt64
    package internal(set) var now = MediaTime.zero
    package internal(set) var relays: [VirtualRelay] = []
    package internal(set) var store: SimulatedStore
    package let names: [SessionKey]
    /// Pairs of relays whose link is cut, the smaller number first.
    package var cuts: Set<[Int]> = []
    /// First fault that was found.
    package internal(set) var fault: String?
    /// Whether clients begin new sessions.
    package var areClientsActive = true
    /// Part of the requests to the store, in thousandths, that are slow or lost.
    package var unreliability: Int
    package internal(set) var joins = 0
    package internal(set) var steps = 0
    /// Number of states that were loaded after a take-over.
    package internal(set) var restorations = 0
    /// Number of changes of sessions' states that were acknowledged to clients.
    package var acknowledgements: Int { ledger.count }
    /// Number of acknowledged changes that the store did not have when the home relay was lost.
    package var lostChanges: Int { ledger.lostCount }
    var ledger = StateLedger()
    var lastChange = 0
    var lastState = 0

    var random: SeededGenerator
    var events = EventQueue<Event>()
    var clients: [VirtualClient] = []
    /// Answers to the questions of checks; nil before the answer.
    var probes: [ResolveTicket: Resolution?] = [:]
    var ids: [SessionID: SessionKey] = [:]
    /// Highest term of each session under which a relay acted.
    var terms: [SessionID: Int64] = [:]
    /// Time of the last loss of data.
    var lost = MediaTime.seconds(-100)
    /// Time of the last start of a process.
    var started = MediaTime.zero
    private var lastProcess = 0
    private var lastID = 0
    private var lastTicket: UInt64 = 0
    /// Time of the store's clock at virtual time 0.
    private let storeOffset = MediaTime.seconds(1_000_000)

    package init(
        seed: UInt64, relays count: Int, clients clientCount: Int = 0, names nameCount: Int = 4, unreliability: Int = 0
    ) throws {
        self.seed = seed
        self.unreliability = unreliability
        random = SeededGenerator(seed: seed)
        store = SimulatedStore(settings: ClusterSettings())
        names = try (0..<nameCount).map { try SessionKey(app: "app", name: "name\($0)") }
        for relay in 0..<count {
            let member = newMember(relay)
            let rate = Int64(random.below(401)) - 200
            relays.append(
                VirtualRelay(
                    member: member, process: 0, offset: .milliseconds(Int64(random.below(10_000_000))), rate: rate))
            change(relay) { $0.start(now: $1) }
            events.add(.load(relay: relay), at: .seconds(2))
        }
        run(for: .seconds(4))
        clients = Array(repeating: VirtualClient(), count: clientCount)
        for client in clients.indices { again(client, after: duration(0, 2_000)) }
    }

    // MARK: time

    /// Lets virtual time pass, or stops at the first fault.
    package func run(for time: MediaTime) {
        let end = now + time
        while fault == nil, let next = events.firstTime, next <= end, let event = events.takeFirst() {
            now = max(now, next)
            handle(event)
            steps += 1
            check()
        }
        if fault == nil { now = end }
    }

    /// Time from `least` to `most` milliseconds.
    func duration(_ least: Int, _ most: Int) -> MediaTime {
        .microseconds(Int64(least * 1_000 + random.below((most - least) * 1_000 + 1)))
    }

    func delay() -> MediaTime {
        random.below(1_000) < unreliability ? duration(50, 3_000) : .microseconds(Int64(200 + random.below(20_000)))
    }

    func linkDelay() -> MediaTime { .microseconds(Int64(200 + random.below(10_000))) }

    private func handle(_ event: Event) {
        if let relay = relay(of: event), relays[relay].isRunning, relays[relay].stalledUntil > now {
            return events.add(event, at: relays[relay].stalledUntil)
        }
        switch event {
        case .timer(let relay, let number):
            guard relays[relay].isRunning, relays[relay].timer == number else { return }
            relays[relay].timerTime = .never
            change(relay) { $0.handleTimeout(now: $1) }
        case .request(let relay, let process, let ticket, let request, let sent):
            perform(relay, process, request, sent) { .answer(relay: relay, process: process, ticket, $0) }
        case .stateRequest(let relay, let process, let id, let number, let request, let sent):
            perform(relay, process, request, sent) {
                .stateAnswer(relay: relay, process: process, id, number: number, request, $0)
            }
        case .stateAnswer(let relay, let process, let id, let number, let request, let result):
            guard isRunning(relay, process) else { return }
            stateAnswered(relay, id, number, request, result)
        case .state(let relay, let process, let id): if isRunning(relay, process) { examine(relay, id) }
        case .change(let client, let attempt): changeState(client, attempt)
        case .answer(let relay, let process, let ticket, let result):
            guard isRunning(relay, process) else { return }
            change(relay) { $0.answered(ticket, result, now: $1) }
        case .ask(let other, let relay, let process, let sent):
            guard relays[other].isRunning, !isCut(other, relay) else { return }
            let reaches = relays[other].member.reachesStore(relays[other].clock(now))
            let report = Event.report(of: other, reaches, to: relay, process: process, sent: sent)
            events.add(report, at: now + linkDelay())
        case .report(let other, let reaches, let relay, let process, let sent):
            guard isRunning(relay, process), !isCut(other, relay), now - sent <= .seconds(1) else { return }
            let id = relays[other].member.description.id
            change(relay) { $0.relayAnswered(id, reachesStore: reaches, now: $1) }
        case .restart(let relay):
            guard !mayStart(relay) else { return restart(relay) }
            events.add(event, at: now + .milliseconds(500))
        case .kill(let relay, let process): if isRunning(relay, process) { kill(relay) }
        case .repair(let relay): relays[relay].store = .open
        case .join(let a, let b): cuts.remove([a, b])
        case .load(let relay):
            events.add(event, at: now + duration(2_000, 10_000))
            guard relays[relay].isRunning else { return }
            checkStored(relay)
            let isDraining = relays[relay].member.load.isDraining
            let load = RelayLoad(use: Double(random.below(100)) / 100, isDraining: isDraining)
            change(relay) { member, _ in member.note(load) }
        case .send, .resolve, .open, .leave: handleClient(event)
        }
    }

    /// Returns the relay whose process has to run for an event.
    private func relay(of event: Event) -> Int? {
        switch event {
        case .timer(let relay, _), .answer(let relay, _, _, _), .ask(let relay, _, _, _),
            .report(_, _, let relay, _, _),
            .resolve(let relay, _, _), .open(let relay, _, _, _, _), .load(let relay), .state(let relay, _, _),
            .stateAnswer(let relay, _, _, _, _, _):
            relay
        case .request, .stateRequest, .send, .leave, .change, .restart, .kill, .repair, .join: nil
        }
    }

    func isRunning(_ relay: Int, _ process: Int) -> Bool { relays[relay].isRunning && relays[relay].process == process }

    package func isCut(_ a: Int, _ b: Int) -> Bool { cuts.contains([min(a, b), max(a, b)]) }

    // MARK: store

    private func perform(
        _ relay: Int, _ process: Int, _ request: StoreRequest, _ sent: MediaTime,
        answer event: (Result<StoreAnswer, StoreFailure>) -> Event
    ) {
        let path = relays[relay].store
        func fail(at time: MediaTime) {
            events.add(event(.failure(StoreFailure("no answer"))), at: max(time, now))
        }
        let limit = sent + Self.requestTime
        switch path {
        case .refused: return fail(at: now)
        case .lost: return fail(at: limit)
        case .open, .answersLost: break
        }
        // The registration of a killed process would replace the one of its successor.
        if case .register = request, !isRunning(relay, process) { return }
        let isLost = random.below(2_000) < unreliability
        if isLost, random.below(2) == 0 { return fail(at: limit) }
        let answer = store.perform(request, now: storeOffset + now)
        if let fault = ledger.note(request, answer, now) { report(fault) }
        let arrival = now + delay()
        guard !isLost, path == .open, arrival < limit else { return fail(at: limit) }
        events.add(event(.success(answer)), at: arrival)
    }

    /// Rows of the store.
    package func rows() -> [SessionPlacement] {
        guard case .listing(_, let rows) = store.perform(.list(limit: 10_000), now: storeOffset + now) else {
            return []
        }
        return rows
    }

    package func loseData() {
        lost = now
        store.loseData()
        ledger.loseData(now)
    }

    /// Registers another process under a relay's id.
    package func replace(_ relay: Int) {
        let request = StoreRequest.register(relays[relay].member.description, RelayLoad())
        _ = store.perform(request, now: storeOffset + now)
        relays[relay].isReplaced = true
    }

    // MARK: relays

    private func newMember(_ relay: Int) -> ClusterMember {
        ClusterMember(
            description: RelayDescription(
                id: RelayID(rawValue: "r\(relay)"), link: "10.0.0.\(relay):7881", fingerprint: "", region: "",
                version: "1",
                linkVersion: 1))
    }

    /// Changes a relay's rules, and carries their effects out.
    func change(_ relay: Int, _ body: (inout ClusterMember, MediaTime) -> Void) {
        let time = relays[relay].clock(now)
        body(&relays[relay].member, time)
        for effect in relays[relay].member.takeEffects(now: time) { carryOut(effect, relay) }
        let next = max(relays[relay].time(relays[relay].member.deadline), now)
        guard next != relays[relay].timerTime, next != .never else { return }
        relays[relay].timer += 1
        relays[relay].timerTime = next
        events.add(.timer(relay: relay, number: relays[relay].timer), at: next)
    }

    private func carryOut(_ effect: ClusterEffect, _ relay: Int) {
        let process = relays[relay].process
        switch effect {
        case .store(let ticket, let request):
            events.add(.request(relay: relay, process: process, ticket, request, sent: now), at: now + delay())
        case .ask(let others):
            for other in others {
                guard let number = Int(other.id.rawValue.dropFirst()) else { continue }
                events.add(.ask(of: number, by: relay, process: process, sent: now), at: now + linkDelay())
            }
        case .resolved(let ticket, let resolution): resolved(relay, ticket, resolution)
        case .superseded(_, let id): sendAway(relay, id)
        case .reclaimed(let id): renewState(relay, id)
        case .acts, .relayLost, .replaced: break
        }
    }

    /// Ends a relay's process without notice.
    package func kill(_ relay: Int) {
        relays[relay].isRunning = false
        for question in relays[relay].questions.values { again(question.client, after: .seconds(1)) }
        relays[relay].questions = [:]
        sendAllAway(relay)
    }

    package func restart(_ relay: Int, after time: MediaTime) { events.add(.restart(relay: relay), at: now + time) }

    /// Whether a process can start such that the others hear of it: relays that do not know each other are beyond the rules. A process that
    /// starts directly after a loss of data cannot know of the loss either.
    private func mayStart(_ relay: Int) -> Bool {
        guard now - lost >= .seconds(7),
            case .listing(let rows, _) = store.perform(.list(limit: 0), now: storeOffset + now)
        else { return false }
        let id = relays[relay].member.description.id
        return relays.allSatisfy { other in
            guard other.isRunning, other.member.identity != nil else { return !other.isRunning }
            return rows.contains { $0.identity == other.member.identity }
                && (other.store == .open || other.member.table[id] != nil)
        }
    }

    private func restart(_ relay: Int) {
        guard !relays[relay].isRunning else { return }
        started = now
        lastProcess += 1
        let old = relays[relay]
        relays[relay] = VirtualRelay(member: newMember(relay), process: lastProcess, offset: old.offset, rate: old.rate)
        relays[relay].store = old.store
        relays[relay].timer = old.timer + 1
        change(relay) { $0.start(now: $1) }
    }

    /// Stops a relay's process for some time. Its events are handled afterwards.
    package func stall(_ relay: Int, for time: MediaTime) { relays[relay].stalledUntil = now + time }

    package func leave(_ relay: Int) {
        guard relays[relay].isRunning else { return }
        change(relay) { member, _ in member.leave() }
        sendAllAway(relay)
    }

    package func setDraining(_ relay: Int, _ isDraining: Bool) {
        change(relay) { member, _ in member.note(RelayLoad(use: member.load.use, isDraining: isDraining)) }
    }

    // MARK: numbers

    func newID() -> SessionID {
        lastID += 1
        return SessionID(rawValue: "s\(lastID)")
    }

    func newTicket() -> ResolveTicket {
        lastTicket += 1
        return ResolveTicket(rawValue: lastTicket)
    }
}
