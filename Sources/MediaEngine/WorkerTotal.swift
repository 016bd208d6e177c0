import Synchronization

/// Amount held by several workers together, for a limit of the whole relay. Each worker sets its own
/// share; the packet path never touches it.
final class WorkerTotal: Sendable {
    private final class Share: Sendable {
        let value = Atomic<Int>(0)
    }

    private let shares: [Share]

    /// - Parameter workers: at least 1.
    init(workers: Int) { shares = (0..<max(1, workers)).map { _ in Share() } }

    /// Sum over all workers. If a worker changes its share during the call, either value may be counted.
    var sum: Int { shares.reduce(0) { $0 + $1.value.load(ordering: .acquiring) } }

    /// Returns the worker with the largest share.
    /// - Parameter preferred: returned if no other has more.
    func largest(preferring preferred: Int) -> Int {
        var best = (worker: preferred, amount: shares[preferred].value.load(ordering: .acquiring))
        for (worker, share) in shares.enumerated() {
            let amount = share.value.load(ordering: .acquiring)
            if amount > best.amount { best = (worker, amount) }
        }
        return best.worker
    }

    /// Returns the share of a worker.
    func amount(of worker: Int) -> Int { shares[worker].value.load(ordering: .acquiring) }

    /// - Parameter worker: index below the number of workers.
    func set(_ amount: Int, of worker: Int) { shares[worker].value.store(amount, ordering: .releasing) }
}
