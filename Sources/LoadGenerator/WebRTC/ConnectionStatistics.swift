/// How the peer connections of a run, or of one thread of it, were made and lost.
struct ConnectionStatistics: Sendable {
    /// Answer until the first check that the relay answered, microseconds.
    var ice = Distribution()
    /// From there to the end of the handshake, microseconds.
    var dtls = Distribution()
    /// Connections that ended without being asked to.
    var lost: UInt64 = 0
    var firstLoss: String?

    mutating func add(_ other: ConnectionStatistics) {
        ice.merge(other.ice)
        dtls.merge(other.dtls)
        lost += other.lost
        firstLoss = firstLoss ?? other.firstLoss
    }
}
