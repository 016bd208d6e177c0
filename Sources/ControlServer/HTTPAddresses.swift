import NIOConcurrencyHelpers

/// Counts open connections by address, WebSockets included, so that one address cannot use up all connections.
final class HTTPAddresses: Sendable {
    static let key = "http.connectionsPerAddress"

    private let limit: Int
    private let counts = NIOLockedValueBox<[String: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter group: see `ClientAddress`.
    /// - Returns: whether the address was below its limit; if so, `leave` must follow.
    func enter(_ group: String) -> Bool {
        counts.withLockedValue { counts in
            guard counts[group, default: 0] < limit else { return false }
            counts[group, default: 0] += 1
            return true
        }
    }

    func leave(_ group: String) {
        counts.withLockedValue { counts in
            counts[group, default: 1] -= 1
            if counts[group] == 0 { counts[group] = nil }
        }
    }
}
