/// Leases of a publisher without signalling.
struct PublisherLeases: Sendable {
    let participant: ResourceLease
    let transport: ResourceLease
}
