import NIOConcurrencyHelpers

/// Limit on the number of joins that wait for an answer at the same time.
final class JoinGate: Sendable {
    private let limit: Int
    private let inside = NIOLockedValueBox(0)

    init(limit: Int) { self.limit = limit }

    /// Returns false if the limit is reached.
    func enter() -> Bool {
        inside.withLockedValue { inside in
            guard inside < limit else { return false }
            inside += 1
            return true
        }
    }
    func leave() { inside.withLockedValue { $0 -= 1 } }
    var isIdle: Bool { inside.withLockedValue { $0 == 0 } }
}
