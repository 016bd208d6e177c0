import NIOConcurrencyHelpers

/// Delegates of a session or a messaging client.
final class DelegateList<Event: Sendable>: Sendable {
    /// Maximum number of delegates.
    static var limit: Int { 16 }

    private let seats = NIOLockedValueBox<[DelegateSeat<Event>]>([])

    func send(_ event: Event) {
        for seat in seats.withLockedValue({ $0 }) { seat.send(event) }
    }

    func add(_ seat: DelegateSeat<Event>) {
        seats.withLockedValue { seats in
            seats.removeAll { $0.isEmpty }
            if seats.count < Self.limit { seats.append(seat) }
        }
    }

    func removeAll() { seats.withLockedValue { $0.removeAll() } }
}
