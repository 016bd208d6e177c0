import Conference
import MediaEngine
import SessionMedia
import Signaling

/// Leases of a session's transports, from the order that opens a transport to its end. Its session begins them before it passes the order on.
struct TransportLeaseTable {
    private let resources: ResourceAccounts
    private var open: [PeerID: TransportLeases] = [:]
    /// Leases of transports that are being opened.
    private var opening: [MediaTicket: TransportLeases] = [:]

    init(_ resources: ResourceAccounts) { self.resources = resources }

    /// Number of transports that are open.
    var count: Int { open.count }

    /// Counts a transport that an order opens for a client with a control connection.
    ///
    /// - Throws: `limitReached` with the key of the limit.
    mutating func begin(_ ticket: MediaTicket, for holder: ResourceHolder) throws(EngineError) {
        let lease = ResourceLease(.transports, for: holder, accounts: resources)
        do throws(ResourceExcess) {
            try lease.set(1)
        } catch {
            throw .limitReached(name: error.key, limit: error.limit)
        }
        opening[ticket] = TransportLeases(transport: lease)
    }

    /// Counts a transport that the session's previous home relay had opened for a client.
    /// - Returns: false if the client's limit is reached.
    mutating func adopt(_ peer: PeerID, for holder: ResourceHolder) -> Bool {
        let lease = ResourceLease(.transports, for: holder, accounts: resources)
        do throws(ResourceExcess) {
            try lease.set(1)
        } catch {
            return false
        }
        open[peer] = TransportLeases(transport: lease)
        return true
    }

    /// Keeps the leases of a client without a control connection, which `admit` has returned, with the order that opens its transport.
    mutating func begin(_ ticket: MediaTicket, _ leases: TransportLeases?) { opening[ticket] = leases }

    /// Counts a transport of a client without a control connection, and its publisher. A publisher that takes over a stream of the same
    /// holder keeps the leases, so that it can publish again even at its limit.
    ///
    /// - Parameter replaced: transport of the publisher whose stream it takes over.
    /// - Throws: `limitReached` with the key of the limit.
    func admit(
        _ holder: ResourceHolder, isPublisher: Bool, replacing replaced: PeerID?
    ) throws(SignalingError) -> TransportLeases {
        if let replaced, let held = open[replaced], held.transport.holder == holder { return held }
        let participant = isPublisher ? try resources.lease(.participants, for: holder) : nil
        return TransportLeases(transport: try resources.lease(.transports, for: holder), participant: participant)
    }

    /// Handles the outcome of an order.
    /// - Parameter peer: transport that it has opened; nil: it has opened none, and its leases end.
    mutating func settle(_ ticket: MediaTicket, _ peer: PeerID?) {
        if let leases = opening.removeValue(forKey: ticket), let peer { open[peer] = leases }
    }

    /// Ends the leases of a transport. The limit has space for another transport on return.
    mutating func end(_ peer: PeerID) { open[peer] = nil }
}
