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
        case claim(SessionKey)
        /// Claim of a session of this relay after the store has lost its data.
        case reclaim(SessionKey)
        /// The relay's sessions that were known when the request was sent.
        case held
        case end(SessionKey)
        case find(SessionID)
        case lookup(SessionKey)
    }

    /// Client that waits for a claim.
    struct Waiting: Sendable {
        var ticket: ResolveTicket
        var newID: SessionID
    }

    package let description: RelayDescription
    package let settings: ClusterSettings
    package internal(set) var table = RelayTable()
    package internal(set) var load = RelayLoad()
    /// Reason of the last failure of the store; nil after an answer.
    package internal(set) var storeFailure: StoreFailure?

    var state = State.registering
    var tenure = Tenure()
    var sessions: [SessionKey: HeldSession] = [:]
    var keys: [SessionID: SessionKey] = [:]
    /// Claimed sessions that no client has used yet, and the time at which each ends.
    var unopened: [SessionKey: MediaTime] = [:]
    /// Sessions whose claim or end the store did not answer. They are repeated after the next heartbeat.
    var repeats: Set<SessionKey> = []
    var known: KnownPlacements
    /// Clients that wait for a claim or for the end of a session of the same name. A name with an empty list has a claim under way.
    var waiting: [SessionKey: [Waiting]] = [:]
    var waitingCount = 0
    /// Clients that wait for the placement of an existing session.
    var finding: [SessionID: [ResolveTicket]] = [:]
    var lookingUp: [SessionKey: [ResolveTicket]] = [:]
    var pending: [StoreTicket: Pending] = [:]
    var effects: [ClusterEffect] = []
    /// Sessions to claim again after the store has lost its data.
    var reclaiming: Set<SessionKey> = []
    /// Sessions known when the pending `held` was sent.
    var verifying: Set<SessionKey> = []
    /// Whether sessions may have been taken over since the lease ended, so that they must be verified first.
    var isUnverified = false
    var nextBeat = MediaTime.never
    var nextAsk = MediaTime.never
    var nextVerification = MediaTime.never
    private var isActing = false
    private var lastTicket: UInt64 = 0

    package init(description: RelayDescription, settings: ClusterSettings = ClusterSettings()) {
        self.description = description
        self.settings = settings
        known = KnownPlacements(limit: settings.placements)
    }

    /// Identity under which the relay is a member; nil if it is none.
    package var identity: RelayIdentity? {
        if case .member(let identity) = state { identity } else { nil }
    }

    /// Whether the relay holds its lease, and so reaches the store.
    package func reachesStore(_ now: MediaTime) -> Bool { identity != nil && tenure.isHeld(now) }

    /// Number of sessions whose home relay is this one.
    package var sessionCount: Int { sessions.count }

    /// Returns whether the relay may run the rules of its sessions.
    package func mayAct(_ now: MediaTime) -> Bool {
        guard identity != nil else { return false }
        if tenure.isHeld(now) { return !isUnverified }
        return tenure.isStoreDown(
            table.counted(forgetTime: settings.forgetTime, own: description.id), own: description.id,
            validity: settings.beatInterval + settings.beatInterval + settings.beatInterval, now: now)
    }

    /// Time of the next call of `handleTimeout`.
    package var deadline: MediaTime {
        guard state != .left, state != .replaced else { return .never }
        return min(min(nextBeat, nextAsk), isActing && nextAsk == .never ? tenure.end : .never)
    }

    /// Returns what the relay decided since the last call.
    package mutating func takeEffects(now: MediaTime) -> [ClusterEffect] {
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
