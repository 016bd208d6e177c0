import Synchronization

/// Totals over the workers of an engine: a session lives on one worker, and limits hold for the whole relay.
final class WorkerTotals: Sendable {
    let sessions: WorkerTotal
    let unestablished: WorkerTotal
    private let mailboxes = Mutex<[Mailbox]>([])

    /// - Parameter workers: 1 at least.
    init(workers: Int) {
        sessions = WorkerTotal(workers: workers)
        unestablished = WorkerTotal(workers: workers)
    }

    /// Mailboxes of the workers, in their order.
    func connect(_ mailboxes: [Mailbox]) { self.mailboxes.withLock { $0 = mailboxes } }

    /// Non-blocking.
    /// - Returns: false if that worker takes nothing more; then `work` does not run.
    func post(_ work: @escaping Mailbox.Work, to worker: Int) -> Bool {
        let mailbox = mailboxes.withLock { $0.indices.contains(worker) ? $0[worker] : nil }
        guard let mailbox else { return false }
        do {
            try mailbox.post(work)
            return true
        } catch {
            return false
        }
    }
}
