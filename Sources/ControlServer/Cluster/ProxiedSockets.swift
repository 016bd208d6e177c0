import Cluster
import NIOConcurrencyHelpers

/// Proxied WebSockets by home relay, so that all of a lost relay can be cut at once. Each has a connection, which http.connections limits.
final class ProxiedSockets: Sendable {
    private let state = NIOLockedValueBox<[RelayIdentity: [ObjectIdentifier: ProxiedSocket]]>([:])

    var count: Int { state.withLockedValue { $0.values.reduce(0) { $0 + $1.count } } }

    func add(_ proxied: ProxiedSocket, to home: RelayIdentity) {
        state.withLockedValue { $0[home, default: [:]][ObjectIdentifier(proxied)] = proxied }
    }

    func remove(_ proxied: ProxiedSocket, of home: RelayIdentity) {
        state.withLockedValue { state in
            state[home]?[ObjectIdentifier(proxied)] = nil
            if state[home]?.isEmpty == true { state[home] = nil }
        }
    }

    /// Cuts all WebSockets to a lost relay. Their clients resume.
    func cut(_ home: RelayIdentity) {
        let lost = state.withLockedValue { $0.removeValue(forKey: home) ?? [:] }
        for proxied in lost.values { proxied.cut() }
    }
}
