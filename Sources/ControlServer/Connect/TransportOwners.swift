import MediaEngine
import Signaling

/// The connection that each transport of a session belongs to, with the lease that counts the transport for its holder: the lease goes with
/// the entry.
struct TransportOwners {
    private struct Entry {
        let owner: ConnectionID
        /// Released when nothing refers to it any more.
        let lease: ResourceLease
    }

    private var entries: [TransportID: Entry] = [:]

    var keys: [TransportID] { Array(entries.keys) }

    subscript(id: TransportID) -> ConnectionID? { entries[id]?.owner }

    func lease(of id: TransportID) -> ResourceLease? { entries[id]?.lease }

    mutating func insert(_ id: TransportID, owner: ConnectionID, lease: ResourceLease) {
        entries[id] = Entry(owner: owner, lease: lease)
    }

    /// - Returns: the connection that the transport belonged to; nil if the transport was not there.
    @discardableResult
    mutating func remove(_ id: TransportID) -> ConnectionID? { entries.removeValue(forKey: id)?.owner }
}
