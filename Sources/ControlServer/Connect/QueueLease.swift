import Conference

/// Size of one queue in bytes, counted for its holder in steps, so that short queues cost no accounting.
struct QueueLease: Sendable {
    /// Queues up to this size count as part of their participant; longer ones are counted in steps of this size.
    static let step = 64 << 10

    private let lease: ResourceLease
    /// Bytes counted so far.
    private var counted = 0

    init(for holder: ResourceHolder, accounts: ResourceAccounts) {
        lease = ResourceLease(.queuedBytes, for: holder, accounts: accounts)
    }

    /// Updates the count after the queue's size has changed.
    ///
    /// - Throws: the limit that the queue would exceed; the count then stays unchanged.
    mutating func update(_ bytes: Int) throws(ResourceExcess) {
        let wanted = Self.counted(bytes)
        guard wanted != counted else { return }
        try lease.set(wanted)
        counted = wanted
    }

    /// Returns the bytes that are counted for a queue of a size.
    static func counted(_ bytes: Int) -> Int { bytes <= step ? 0 : (bytes - 1) / step * step }
}
