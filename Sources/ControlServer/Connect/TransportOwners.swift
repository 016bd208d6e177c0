import MediaEngine
import Signaling

/// Connection that owns each transport of a session, with the lease that counts the transport for its holder. Removing an entry
/// drops its reference to the lease.
struct TransportOwners {
    private struct Entry {
        let owner: ConnectionID
        /// Released with its last reference.
        let lease: ResourceLease
    }

    private var entries: [TransportID: Entry] = [:]

    var keys: [TransportID] { Array(entries.keys) }

    subscript(id: TransportID) -> ConnectionID? { entries[id]?.owner }

    func lease(of id: TransportID) -> ResourceLease? { entries[id]?.lease }

    mutating func insert(_ id: TransportID, owner: ConnectionID, lease: ResourceLease) {
        entries[id] = Entry(owner: owner, lease: lease)
    }

    /// - Returns: the connection that owned the transport; nil if there was no such transport.
    @discardableResult
    mutating func remove(_ id: TransportID) -> ConnectionID? { entries.removeValue(forKey: id)?.owner }
}
