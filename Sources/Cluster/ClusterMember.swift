import Conference
package import MediaBase
import Signaling

/// Membership of one relay in a cluster: its lease, the other relays, and the home relays of sessions. Time and answers go in, effects come
/// out; callers take the effects after each call.
///
/// Guarantee: a relay runs the rules of a session only while it holds the session's term. It may act until shortly before the end of its
/// lease, and no relay can take the session over before that end.
package struct ClusterMember: Sendable {
    enum State: Hashable, Sendable {
        case registering
        case member(RelayIdentity)
        /// Another process uses this relay's id.
        case replaced
        case left
    }

    /// Reason of a request to the store that has no answer yet.
    enum Pending: Hashable, Sendable {
        case register(sent: MediaTime)
        case beat(sent: MediaTime)
        case leave
        case claim(SessionKey, interruptions: Int)
        /// Take-over of a session whose clients resume.
        case takeOver(SessionKey, SessionID, interruptions: Int)
        /// Claim of a session of this relay after the store has lost its data.
        case reclaim(SessionKey, RelayIdentity)
        /// Verification, with the number of interruptions of the lease before it.
        case held(interruptions: Int)
        case end(SessionKey, SessionID, term: Int64)
        case find(SessionID)
        case lookup(SessionKey)
        /// Look-up of a name for which another relay would be a better home relay.
        case choose(SessionKey)

        var isClaim: Bool {
            switch self {
            case .claim, .takeOver, .reclaim: true
            default: false
            }
        }
    }

    /// Client that waits for a claim.
    struct Waiting: Sendable {
        var ticket: ResolveTicket
        /// Id of the session that the client resumes, or of a new one.
        var id: SessionID
        var isResuming = false
    }

    package let description: RelayDescription
    package let settings: ClusterSettings
    package internal(set) var table = RelayTable()
    /// Relays whose leases have ended, and that are not reported as lost yet.
    var suspects: Set<RelayIdentity> = []
    package internal(set) var load = RelayLoad()
    /// Reason of the last failure of the store; nil after an answer.
    package internal(set) var storeFailure: StoreFailure?

    var state = State.registering
    var tenure: Tenure
    var sessions: [SessionKey: HeldSession] = [:]
    var keys: [SessionID: SessionKey] = [:]
    /// Claimed sessions that no client has used yet, and the time at which each ends.
    var unopened: [SessionKey: MediaTime] = [:]
    /// Sessions whose claim or end the store did not answer. They are repeated after the next heartbeat.
    var repeats: Set<SessionKey> = []
    var known: PlacementCache
    /// Clients that wait for a claim or for the end of a session of the same name. A name with an empty list has a claim under way.
    var waiting: [SessionKey: [Waiting]] = [:]
    var waitingCount = 0
    /// Clients that wait for the placement of an existing session.
    var finding: [SessionID: [ResolveTicket]] = [:]
    var lookingUp: [SessionKey: [ResolveTicket]] = [:]
    /// Clients that wait for the choice between this relay and a better one.
    var choosing: [SessionKey: [Waiting]] = [:]
    var pending: [StoreTicket: Pending] = [:]
    var effects: [ClusterEffect] = []
    /// Sessions to claim again after the store has lost its data.
    var reclaiming: Set<SessionKey> = []
    /// Sessions known when the pending `held` was sent.
    var verifying: [SessionKey: SessionID] = [:]
    /// Number of times that the lease has ended and was renewed later.
    var interruptions = 0
    /// Time from which on the relay sends claims. It is in the future if other relays may still rely on a report that this one does not reach the
    /// store, or may act under a lease that the store has lost.
    var claimsFrom = MediaTime.never
    /// Time until which home relays may act whose sessions the store has lost.
    var recoveryEnd = MediaTime.zero
    /// Whether sessions may have been taken over since the lease ended, so that they must be verified first.
    var isUnverified = false
    var nextBeat = MediaTime.never
    var nextAsk = MediaTime.never
    var nextVerification = MediaTime.never
    private var isActing = false
    /// Time at which the effects were taken last.
    private var taken = MediaTime.zero
    private var lastTicket: UInt64 = 0

    package init(description: RelayDescription, settings: ClusterSettings = ClusterSettings()) {
        self.description = description
        self.settings = settings
        known = PlacementCache(limit: settings.placements)
        tenure = Tenure(settings: settings)
    }

    /// Identity under which the relay is a member; nil if it is none.
    package var identity: RelayIdentity? {
        if case .member(let identity) = state { identity } else { nil }
    }

    /// Returns whether the relay reaches the store, so that a claim of it may be carried out.
    package func reachesStore(_ now: MediaTime) -> Bool {
        if identity != nil, tenure.isFresh(now) { return true }
        return pending.values.contains(where: \.isClaim)
    }

    /// Returns whether the relay may send claims of new sessions.
    func mayClaim(_ now: MediaTime) -> Bool { tenure.isFresh(now) && claimsFrom <= now }

    /// Number of sessions whose home relay is this one.
    package var sessionCount: Int { sessions.count }

    /// Returns whether the relay may run the rules of its sessions.
    package func mayAct(_ now: MediaTime) -> Bool {
        identity != nil && isConfirmed(now)
    }

    /// Relays that have to confirm that the store is down.
    var witnesses: [RelayRecord] { table.counted(forgetTime: settings.forgetTime, other: description.id) }

    /// Returns whether no other relay can have taken a session of this one over.
    func isConfirmed(_ now: MediaTime) -> Bool {
        !isUnverified && (tenure.isHeld(now) || isStoreDown(now))
    }

    /// Returns whether no relay reaches the store, as all of them have confirmed.
    package func isStoreDown(_ now: MediaTime) -> Bool {
        tenure.isStoreDown([description.id] + witnesses.map(\.identity.id), now)
    }

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        guard state != .left, state != .replaced else { return .never }
        guard identity != nil else { return nextBeat }
        let asking = nextAsk == .never ? tenure.freshEnd : nextAsk
        return min(min(nextBeat, asking), isActing && taken < tenure.end ? tenure.end : .never)
    }

    /// Returns what the relay decided since the last call.
    package mutating func takeEffects(now: MediaTime) -> [ClusterEffect] {
        taken = now
        let acts = mayAct(now)
        if acts != isActing, state != .left {
            isActing = acts
            effects.append(.acts(acts))
        }
        defer { effects = [] }
        return effects
    }

    mutating func send(_ request: StoreRequest, _ reason: Pending) {
        lastTicket += 1
        let ticket = StoreTicket(rawValue: lastTicket)
        pending[ticket] = reason
        effects.append(.store(ticket, request))
    }
}
