import NIOConcurrencyHelpers

/// Counters of webhook events for `/metrics`.
package final class WebhookStatistics: Sendable {
    package struct Values: Sendable, Equatable {
        package var isConfigured = false
        package var waiting = 0
        package var delivered: UInt64 = 0
        package var retries: UInt64 = 0
        /// Lost events, by cause: the queue was full, the receiver refused, the time was over, the relay shut down.
        package var dropped: UInt64 = 0
        package var refused: UInt64 = 0
        package var expired: UInt64 = 0
        package var unsent: UInt64 = 0
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    package var values: Values { state.withLockedValue { $0 } }

    func began() { state.withLockedValue { $0.isConfigured = true } }

    func update(_ queue: WebhookQueue) {
        state.withLockedValue {
            $0.waiting = queue.waiting
            $0.delivered = queue.delivered
            $0.retries = queue.retries
            $0.dropped = queue.dropped
            $0.refused = queue.refused
            $0.expired = queue.expired
        }
    }

    func left(_ count: Int) {
        state.withLockedValue {
            $0.unsent += UInt64(count)
            $0.waiting = 0
        }
    }
}
