import Conference
import Signaling

/// Remembered home relays of sessions at other relays, at most `limit`. The oldest are dropped first, half of all at once.
struct PlacementCache: Sendable {
    private var young: [SessionKey: SessionPlacement] = [:]
    private var old: [SessionKey: SessionPlacement] = [:]
    private var keys: [SessionID: SessionKey] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = max(limit, 2) }

    subscript(_ key: SessionKey) -> SessionPlacement? { young[key] ?? old[key] }

    subscript(_ id: SessionID) -> SessionPlacement? { keys[id].flatMap { self[$0] } }

    var count: Int { young.count + old.count }

    mutating func insert(_ placement: SessionPlacement) {
        remove(placement.key)
        if young.count >= limit / 2 {
            for placement in old.values { keys[placement.id] = nil }
            old = young
            young = [:]
        }
        young[placement.key] = placement
        keys[placement.id] = placement.key
    }

    mutating func remove(_ key: SessionKey) {
        for placement in [young.removeValue(forKey: key), old.removeValue(forKey: key)] {
            if let placement { keys[placement.id] = nil }
        }
    }

    mutating func remove(of home: RelayIdentity) {
        for placement in Array(young.values) + Array(old.values) where placement.home == home {
            remove(placement.key)
        }
    }
}
