import Conference
import Signaling

/// What a session has its media engine do about subscriptions, one thing after the other: offers and answers wait for the engine, and what comes
/// later must not overtake them. Of all that waits for one client and stream one order is left.
struct MediaOrders {
    /// Configuration key of what may wait for one client.
    static let limitKey = "limit.mediaOrders"

    /// Somebody talks to the engine.
    var isBusy = false
    /// Somebody has been asked to begin with what waits.
    var isAnnounced = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// Nil: what waited has come to nothing.
    private var orders: [ConnectionID: [StreamID: SubscriptionOrder?]] = [:]
    /// In the order in which they came.
    private var sequence: [(client: ConnectionID, stream: StreamID)] = []
    private var next = 0

    /// Streams about which something waits.
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
