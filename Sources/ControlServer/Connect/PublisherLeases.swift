/// Leases of a publisher without a control connection.
struct PublisherLeases: Sendable {
    let participant: ResourceLease
    let transport: ResourceLease
}
