import Cluster
import ClusterTestKit
import Conference
import MediaBase
import Signaling

/// Relays whose requests to a simulated store are answered at once, or held back.
struct MemberHarness {
    var store = SimulatedStore(settings: ClusterSettings())
    var members: [ClusterMember]
    var now = MediaTime.seconds(100)
    /// Relays whose requests are held back in `requests`.
    var held: Set<Int> = []
    /// Relays whose requests fail without an effect.
    var failing: Set<Int> = []
    /// Relays whose requests are carried out, and fail.
    var deaf: Set<Int> = []
    var requests: [(relay: Int, ticket: StoreTicket, request: StoreRequest)] = []
    /// Other effects of each relay.
    var effects: [[ClusterEffect]]
    private var lastTicket: UInt64 = 0

    init(_ count: Int, regions: [String] = [], settings: ClusterSettings = ClusterSettings(), failing: Set<Int> = []) {
        self.failing = failing
        members = (0..<count).map {
            ClusterMember(
                description: Self.description($0, region: $0 < regions.count ? regions[$0] : ""), settings: settings)
        }
        effects = Array(repeating: [], count: count)
        for relay in 0..<count { change(relay) { $0.start(now: $1) } }
        pass(2)
    }

    static func description(_ relay: Int, region: String = "") -> RelayDescription {
        RelayDescription(
            id: RelayID(rawValue: "r\(relay)"), link: "", fingerprint: "", region: region, version: "", linkVersion: 1)
    }

    static func key(_ name: String) -> SessionKey { try! SessionKey(app: "app", name: name) }

    mutating func change(_ relay: Int, _ body: (inout ClusterMember, MediaTime) -> Void) {
        body(&members[relay], now)
        for effect in members[relay].takeEffects(now: now) {
            guard case .store(let ticket, let request) = effect else {
                effects[relay].append(effect)
                continue
            }
            if held.contains(relay) {
                requests.append((relay, ticket, request))
            } else {
                perform(relay, ticket, request)
            }
        }
    }

    mutating func perform(_ relay: Int, _ ticket: StoreTicket, _ request: StoreRequest) {
        let isLost = failing.contains(relay)
        let answer = isLost ? nil : store.perform(request, now: now)
        let result: Result<StoreAnswer, StoreFailure> =
            if let answer, !deaf.contains(relay) { .success(answer) } else { .failure(StoreFailure("lost")) }
        change(relay) { $0.answered(ticket, result, now: $1) }
    }

    /// Answers requests that were held back.
    mutating func release() {
        held = []
        let list = requests
        requests = []
        for entry in list { perform(entry.relay, entry.ticket, entry.request) }
    }

    /// Lets time pass in steps of 0.1 s.
    mutating func pass(_ seconds: Double) {
        for _ in 0..<Int((seconds * 10).rounded()) {
            now += .milliseconds(100)
            for relay in members.indices where members[relay].deadline <= now {
                change(relay) { $0.handleTimeout(now: $1) }
            }
        }
    }

    /// Lets time pass, and answers the questions of a relay for the others.
    mutating func passWithAnswers(_ seconds: Double, of relay: Int, reachesStore: Bool = false) {
        for _ in 0..<Int((seconds * 10).rounded()) {
            effects[relay] = []
            pass(0.1)
            for case .ask(let others) in effects[relay] {
                for other in others {
                    change(relay) { $0.relayAnswered(other.id, reachesStore: reachesStore, now: $1) }
                }
            }
        }
    }

    /// Asks a relay for a name. Returns the answer if it is there already.
    @discardableResult mutating func resolve(
        _ relay: Int, _ name: String, id: String? = nil, isProxied: Bool = false, isLookup: Bool = false
    ) -> Resolution? {
        lastTicket += 1
        let ticket = ResolveTicket(rawValue: lastTicket)
        let newID = isLookup ? nil : SessionID(rawValue: id ?? "\(name)-\(lastTicket)")
        change(relay) {
            $0.resolve(Self.key(name), newID: newID, isProxied: isProxied, ticket: ticket, now: $1)
        }
        return answers(relay)[ticket]
    }

    mutating func resume(_ relay: Int, _ id: String) -> Resolution? {
        lastTicket += 1
        let ticket = ResolveTicket(rawValue: lastTicket)
        change(relay) { $0.resolve(SessionID(rawValue: id), ticket: ticket, now: $1) }
        return answers(relay)[ticket]
    }

    func answers(_ relay: Int) -> [ResolveTicket: Resolution] {
        var answers: [ResolveTicket: Resolution] = [:]
        for case .resolved(let ticket, let resolution) in effects[relay] { answers[ticket] = resolution }
        return answers
    }

    func acts(_ relay: Int) -> Bool { members[relay].mayAct(now) }

    func session(_ relay: Int, _ name: String) -> String? { members[relay].held(Self.key(name))?.id.rawValue }

    /// Returns the sessions in the store, as "id/term".
    mutating func rows() -> [String] {
        guard case .listing(_, let rows) = store.perform(.list(limit: 1_000), now: now) else { return [] }
        return rows.map { "\($0.id)/\($0.term)" }
    }
}

extension Resolution {
    /// Id of the relay in `there`.
    var there: String? {
        guard case .there(let record) = self else { return nil }
        return record.identity.id.rawValue
    }

    var reason: Unavailability? {
        guard case .unavailable(_, let reason) = self else { return nil }
        return reason
    }

    static func here(_ id: String) -> Resolution { .here(SessionID(rawValue: id)) }
}
