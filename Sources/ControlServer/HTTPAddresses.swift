import NIOConcurrencyHelpers

/// Counts of open connections by address, WebSockets included, so that one address cannot use up the connections of all.
final class HTTPAddresses: Sendable {
    static let key = "http.connectionsPerAddress"

    private let limit: Int
    private let counts = NIOLockedValueBox<[String: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter group: see `ClientAddress`.
    /// - Returns: whether there was a place, which is to be given back by `leave`.
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
