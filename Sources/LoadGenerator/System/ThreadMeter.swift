import CLinuxNet
import NIOConcurrencyHelpers

/// Meter of one thread's CPU time, and of its share of a core in its busiest second. The thread itself calls `sample`.
struct ThreadMeter {
    private let name: String
    private let published: NIOLockedValueBox<ThreadUsage>
    private var lastWall: Int64
    private var lastCPU: Int64
    private var lastWaiting: Int64
    private let firstCPU: Int64

    /// Creates a meter; must be called on the thread to be measured.
    init(name: String, publishing published: NIOLockedValueBox<ThreadUsage>) {
        self.name = name
        self.published = published
        lastWall = millrace_monotonic_ns()
        firstCPU = millrace_thread_cpu_ns()
        lastCPU = firstCPU
        lastWaiting = SchedulerWait.thread
        published.withLockedValue { $0 = ThreadUsage(name: name) }
    }

    /// Publishes the usage once a second; does nothing otherwise, so that every turn of a loop can call it.
    mutating func sample(now: Int64) {
        let elapsed = now - lastWall
        guard elapsed >= 1_000_000_000 else { return }
        publish(elapsed: elapsed, now: now)
    }

    /// Publishes the usage before the thread ends. The last interval counts as at least 1 s, so that a short one gives no high share.
    mutating func finish() {
        let now = millrace_monotonic_ns()
        publish(elapsed: max(1_000_000_000, now - lastWall), now: now)
    }

    private mutating func publish(elapsed: Int64, now: Int64) {
        let cpu = millrace_thread_cpu_ns()
        let share = Double(cpu - lastCPU) / Double(elapsed)
        let waiting = SchedulerWait.thread
        let waited = Double(waiting - lastWaiting) / Double(elapsed)
        (lastWall, lastCPU, lastWaiting) = (now, cpu, waiting)
        published.withLockedValue {
            $0.cpuNanoseconds = cpu - firstCPU
            $0.latest = share
            $0.busiest = max($0.busiest, share)
            $0.mostWaiting = max($0.mostWaiting, waited)
        }
    }
}
