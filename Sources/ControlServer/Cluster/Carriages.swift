import Cluster
import NIOConcurrencyHelpers

/// Carried WebSockets by home relay, so that all of a lost relay can be cut at once. Each has a connection, which http.connections limits.
final class Carriages: Sendable {
    private let state = NIOLockedValueBox<[RelayIdentity: [ObjectIdentifier: Carriage]]>([:])

    var count: Int { state.withLockedValue { $0.values.reduce(0) { $0 + $1.count } } }

    func add(_ carriage: Carriage, to home: RelayIdentity) {
        state.withLockedValue { $0[home, default: [:]][ObjectIdentifier(carriage)] = carriage }
    }

    func remove(_ carriage: Carriage, of home: RelayIdentity) {
        state.withLockedValue { state in
            state[home]?[ObjectIdentifier(carriage)] = nil
            if state[home]?.isEmpty == true { state[home] = nil }
        }
    }

    /// Cuts all WebSockets to a lost relay. Their clients resume.
    func cut(_ home: RelayIdentity) {
        let lost = state.withLockedValue { $0.removeValue(forKey: home) ?? [:] }
        for carriage in lost.values { carriage.cut() }
    }
}
