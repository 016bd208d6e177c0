import Signaling

/// Queued changes of one client's subscriptions. Changes of one stream are merged into one.
struct SubscriptionOrders: Sendable {
    /// Queued changes; nil: they cancelled each other out.
    private var orders: [StreamID: SubscriptionOrder?] = [:]
    /// Streams in the order in which their changes arrived.
    private var sequence: [StreamID] = []
    private var next = 0

    /// Number of streams with queued changes.
    var count: Int { orders.count }

    var isEmpty: Bool { orders.isEmpty }

    func has(_ stream: StreamID) -> Bool { orders.index(forKey: stream) != nil }

    mutating func add(_ order: SubscriptionOrder, _ stream: StreamID) {
        if let known = orders[stream] {
            orders.updateValue(known.map { $0.followed(by: order) } ?? order, forKey: stream)
        } else {
            orders.updateValue(order, forKey: stream)
            sequence.append(stream)
        }
    }

    mutating func take() -> (order: SubscriptionOrder, stream: StreamID)? {
        while next < sequence.count {
            let stream = sequence[next]
            next += 1
            if let order = orders.removeValue(forKey: stream) ?? nil { return (order, stream) }
        }
        self = SubscriptionOrders()
        return nil
    }
}
