import CLinuxNet
import MediaBase
import Synchronization

/// Workers of an engine's sessions, for calls from any thread. Workers use it only when a session begins or ends; the packet path never
/// does. With a single worker nothing is stored.
final class SharedPlacement: Sendable {
    let loads: [PublishedLoad]
    private let table: Mutex<SessionPlacement>
    private let refusals = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - workers: at least 1.
    ///   - limit: maximum number of sessions with a worker.
    init(workers: Int, limit: Int) {
        loads = (0..<workers).map { _ in PublishedLoad() }
        table = Mutex(SessionPlacement(workers: workers, limit: limit))
    }

    private var isSingle: Bool { loads.count == 1 }

    /// Number of sessions that have a worker.
    var count: Int { table.withLock { $0.count } }

    /// Calls refused because the table was full.
    var refused: UInt64 { refusals.load(ordering: .relaxed) }

    /// Returns the worker of a session. Calls about a session that no worker holds go to the first worker, which refuses them.
    func worker(of name: String) -> Int { isSingle ? 0 : table.withLock { $0.worker(of: name) } ?? 0 }

    /// Returns the worker for a call that may open a session, by the load of the workers now; nil if the table is full. Each call must be
    /// ended by `end` or `abandon`.
    func begin(_ name: String, now: MediaTime = MediaTime(rawValue: millrace_monotonic_ns())) -> Int? {
        guard !isSingle else { return 0 }
        let worker = table.withLock { $0.begin(name, now: now) { loads[$0].load(at: now) } }
        if worker == nil { refusals.wrappingAdd(1, ordering: .relaxed) }
        return worker
    }

    /// Returns the home worker of a session, and the worker for a new subscriber, by the load of the workers now. Each call must be ended by
    /// `end` or `abandon`.
    /// - Parameters:
    ///   - opens: the call may open the session.
    ///   - spreadLoad: load of the home worker from which on subscribers go to other workers, in thousandths of one core.
    /// - Returns: nil if the table is full, or if no worker holds the session and the call does not open it.
    func beginSubscriber(
        _ name: String, opens: Bool, spreadLoad: Int, now: MediaTime
    ) -> (home: Int, worker: Int)? {
        guard !isSingle else { return (0, 0) }
        let workers = table.withLock {
            $0.beginSubscriber(name, opens: opens, spreadLoad: spreadLoad, now: now) { loads[$0].load(at: now) }
        }
        if workers == nil, opens { refusals.wrappingAdd(1, ordering: .relaxed) }
        return workers
    }

    /// Records that the home worker of a session holds it.
    func hold(_ name: String, by worker: Int) {
        if !isSingle { table.withLock { $0.hold(name, by: worker) } }
    }

    /// Records that a call has run on its worker.
    /// - Parameter isHeld: whether the worker holds anything of the session now.
    func end(_ name: String, isHeld: Bool) {
        if !isSingle { table.withLock { $0.end(name, isHeld: isHeld) } }
    }

    /// Records that a call was refused before it could run.
    func abandon(_ name: String) {
        if !isSingle { table.withLock { $0.end(name, isHeld: nil) } }
    }

    /// Records that a worker holds nothing of a session any more.
    func release(_ name: String, by worker: Int) {
        if !isSingle { table.withLock { $0.release(name, by: worker) } }
    }
}
