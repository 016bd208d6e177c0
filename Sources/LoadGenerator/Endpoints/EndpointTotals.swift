import TestMedia

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

/// Connection times and losses of the peer connections of a run, or of one of its threads.
struct ConnectionStatistics: Sendable {
    /// Time from the SDP answer to the first check that the relay answered, in microseconds.
    var ice = Distribution()
    /// Time from that check to the end of the handshake, in microseconds.
    var dtls = Distribution()
    /// Connections that ended unexpectedly.
    var lost: UInt64 = 0
    var firstLoss: String?

    mutating func add(_ other: ConnectionStatistics) {
        ice.merge(other.ice)
        dtls.merge(other.dtls)
        lost += other.lost
        firstLoss = firstLoss ?? other.firstLoss
    }
}
