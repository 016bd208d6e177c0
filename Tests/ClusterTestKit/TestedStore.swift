package import Cluster
import Conference
package import MediaBase
import Signaling

/// Store under test, with means to change its rows as the passing of time or a fault does. Leases are so long that none ends by itself
/// during a test.
package protocol TestedStore: Sendable {
    var settings: ClusterSettings { get }
    func perform(_ request: StoreRequest) async throws -> StoreAnswer
    /// Moves a relay's last heartbeat and the end of its lease into the past.
    func age(_ id: RelayID, by time: MediaTime) async throws
    func loseData() async throws
    /// Returns the same store by another connection.
    func another() async throws -> any TestedStore
}

extension TestedStore {
    package static func longSettings() -> ClusterSettings {
        var settings = ClusterSettings()
        settings.leaseTime = .seconds(1_000)
        settings.forgetTime = .seconds(10_000)
        return settings
    }

    static func description(_ name: String) -> RelayDescription {
        RelayDescription(
            id: RelayID(rawValue: name), link: "\(name):7881", fingerprint: String(repeating: "a", count: 64),
            region: "région \(name)", version: "1.2.3", linkVersion: 4)
    }

    @discardableResult
    package func register(_ name: String) async throws -> RelayIdentity {
        guard case .registered(let identity, _) = try await perform(.register(Self.description(name), RelayLoad()))
        else { throw StoreMismatch("the answer to register is of another kind") }
        return identity
    }

    /// Claims a session, whose new id would be `name` with the claimant's name.
    @discardableResult
    package func claim(_ name: String, _ home: RelayIdentity, minimumTerm: Int64 = 1) async throws -> SessionPlacement {
        let id = SessionID(rawValue: "\(name)-\(home.id)")
        let request = StoreRequest.claim(try Self.key(name), newID: id, home: home, minimumTerm: minimumTerm)
        guard case .placed(let placement) = try await perform(request) else {
            throw StoreMismatch("the answer to claim is of another kind")
        }
        return placement
    }

    func takeOver(_ id: SessionID, _ home: RelayIdentity) async throws -> SessionPlacement? {
        guard case .found(let placement) = try await perform(.takeOver(id, home: home)) else {
            throw StoreMismatch("the answer to takeOver is of another kind")
        }
        return placement
    }

    static func key(_ name: String) throws -> SessionKey { try SessionKey(app: "app", name: name) }

    func relays() async throws -> [RelayRecord] {
        guard case .listing(let relays, _) = try await perform(.list(limit: 0)) else {
            throw StoreMismatch("the answer to list is of another kind")
        }
        return relays
    }

    func find(_ id: SessionID) async throws -> SessionPlacement? {
        guard case .found(let placement) = try await perform(.find(id)) else {
            throw StoreMismatch("the answer to find is of another kind")
        }
        return placement
    }

    func held(_ identity: RelayIdentity) async throws -> [SessionPlacement] {
        guard case .held(let placements) = try await perform(.held(identity)) else {
            throw StoreMismatch("the answer to held is of another kind")
        }
        return placements
    }

    /// Writes changes of a session's state. Returns whether they were not refused.
    package func save(_ placement: SessionPlacement, _ changes: SessionChanges) async throws -> Bool {
        let tenure = SessionTenure(home: placement.home, term: placement.term)
        switch try await perform(.save(placement.id, tenure, changes)) {
        case .saved: return true
        case .saveRefused: return false
        default: throw StoreMismatch("the answer to save is of another kind")
        }
    }

    /// Returns the state of a session; nil if it is refused.
    package func load(_ placement: SessionPlacement) async throws -> StoredSession? {
        let tenure = SessionTenure(home: placement.home, term: placement.term)
        switch try await perform(.load(placement.id, tenure)) {
        case .loaded(let session): return session
        case .saveRefused: return nil
        default: throw StoreMismatch("the answer to load is of another kind")
        }
    }

    /// Ends a relay's lease.
    func endLease(_ identity: RelayIdentity) async throws { try await age(identity.id, by: settings.leaseTime) }

    @discardableResult
    func beat(_ identity: RelayIdentity, _ load: RelayLoad = RelayLoad()) async throws -> StoreAnswer {
        try await perform(.beat(identity, load))
    }
}
