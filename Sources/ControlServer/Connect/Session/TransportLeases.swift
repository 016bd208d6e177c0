/// Leases of one transport. They end with the last reference to them.
struct TransportLeases: Sendable {
    let transport: ResourceLease
    /// Counts a publisher without a control connection as a participant of its resource holder.
    var participant: ResourceLease?
}
