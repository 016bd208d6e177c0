import Conference

/// The bytes of one queue, counted for its holder in steps, so that queues that stay short cost no accounting.
struct QueueLease: Sendable {
    /// Queues up to this size count as part of their participant; longer ones are counted in steps of the same size.
    static let step = 64 << 10

    private let lease: ResourceLease
    /// Counted so far.
    private var counted = 0

    init(for holder: ResourceHolder, accounts: ResourceAccounts) {
        lease = ResourceLease(.queuedBytes, for: holder, accounts: accounts)
    }

    /// Updates the count after its size has changed.
    ///
    /// - Throws: the limit that the queue would exceed; then it is counted with its size before.
    mutating func update(_ bytes: Int) throws(ResourceExcess) {
        let wanted = Self.counted(bytes)
        guard wanted != counted else { return }
        try lease.set(wanted)
        counted = wanted
    }

    /// Bytes that are counted for a queue of a size.
    static func counted(_ bytes: Int) -> Int { bytes <= step ? 0 : (bytes - 1) / step * step }
}
