/// Statistics of an endpoint, or sums over several.
struct EndpointTotals: Sendable {
    var sent = SendStatistics()
    var received = ReceptionStatistics()
    var connections = ConnectionStatistics()

    mutating func add(_ other: EndpointTotals) {
        sent.add(other.sent)
        received.add(other.received)
        connections.add(other.connections)
    }
}
