import Synchronization

/// Totals over the workers of an engine. A session lives on one worker, but limits apply to the whole relay.
final class WorkerTotals: Sendable {
    let sessions: WorkerTotal
    let unestablished: WorkerTotal
    private let mailboxes = Mutex<[Mailbox]>([])

    /// - Parameter workers: at least 1.
    init(workers: Int) {
        sessions = WorkerTotal(workers: workers)
        unestablished = WorkerTotal(workers: workers)
    }

    /// Sets the mailboxes of the workers, in the order of their indices.
    func connect(_ mailboxes: [Mailbox]) { self.mailboxes.withLock { $0 = mailboxes } }

    /// Returns the mailbox of a worker; nil if there is no such worker.
    func mailbox(of worker: Int) -> Mailbox? {
        mailboxes.withLock { $0.indices.contains(worker) ? $0[worker] : nil }
    }

    /// Posts a call to a worker without waiting.
    /// - Returns: false if that worker accepts no more calls; then `work` does not run.
    func post(_ work: @escaping Mailbox.Work, to worker: Int, isUrgent: Bool = false) -> Bool {
        guard let mailbox = mailbox(of: worker) else { return false }
        do {
            try mailbox.post(isUrgent: isUrgent, work)
            return true
        } catch {
            return false
        }
    }
}
