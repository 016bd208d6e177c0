import Conference
import Signaling

/// Queue of subscription changes for a session's media engine, carried out one at a time: offers and answers wait for the engine, and later
/// changes must not overtake them. Queued changes of one client and stream are merged into one.
struct MediaOrders {
    /// Configuration key of the limit per client.
    static let limitKey = "limit.mediaOrders"

    /// Whether a call to the engine is in progress.
    var isBusy = false
    /// Whether a task has been started that will carry out the queue.
    var isAnnounced = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Queued changes; nil: they cancelled each other out.
    private var orders: [ConnectionID: [StreamID: SubscriptionOrder?]] = [:]
    /// Clients and streams in the order in which their changes arrived.
    private var sequence: [(client: ConnectionID, stream: StreamID)] = []
    private var next = 0

    /// Returns the number of streams with queued changes.
    func count(of client: ConnectionID) -> Int { orders[client]?.count ?? 0 }

    func has(_ stream: StreamID, of client: ConnectionID) -> Bool { orders[client]?.index(forKey: stream) != nil }

    mutating func add(_ order: SubscriptionOrder, _ stream: StreamID, of client: ConnectionID) {
        if has(stream, of: client) {
            let known = orders[client]?[stream] ?? nil
            orders[client]?.updateValue(known.map { $0.followed(by: order) } ?? order, forKey: stream)
        } else {
            orders[client, default: [:]].updateValue(order, forKey: stream)
            sequence.append((client, stream))
        }
    }

    mutating func take() -> (order: SubscriptionOrder, stream: StreamID, client: ConnectionID)? {
        while next < sequence.count {
            let (client, stream) = sequence[next]
            next += 1
            let order = orders[client]?.removeValue(forKey: stream) ?? nil
            if orders[client]?.isEmpty == true { orders[client] = nil }
            if let order { return (order, stream, client) }
        }
        sequence = []
        next = 0
        return nil
    }
}
