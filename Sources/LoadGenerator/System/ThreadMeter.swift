import CLinuxNet
import Foundation

/// Usage that a `ThreadMeter` measured.
package struct ThreadUsage: Codable, Sendable, Equatable {
    package var name: String
    package var cpuNanoseconds: Int64 = 0
    /// Share of a core in the busiest second, 0...1.
    package var busiest = 0.0
    /// Share of a core in the last second, 0...1.
    package var latest = 0.0
    /// Share of the worst second in which the thread was ready to run but had no core, 0...1: other processes used the machine.
    package var mostWaiting = 0.0
}

/// Meter of one thread's CPU time, and of its share of a core in its busiest second. The thread itself makes the calls.
struct ThreadMeter {
    private var usage: ThreadUsage
    private let publish: (ThreadUsage) -> Void
    private let firstCPU = millrace_thread_cpu_ns()
    private var lastWall = millrace_monotonic_ns()
    private var lastCPU = millrace_thread_cpu_ns()
    private var lastWaiting = Self.waiting

    init(name: String, publish: @escaping (ThreadUsage) -> Void) {
        usage = ThreadUsage(name: name)
        self.publish = publish
    }

    /// Publishes the usage once a second; does nothing otherwise, so that every turn of a loop can call it.
    mutating func sample(now: Int64) {
        let elapsed = now - lastWall
        if elapsed >= 1_000_000_000 { publish(elapsed: elapsed, now: now) }
    }

    /// Publishes the usage before the thread ends. The last interval counts as at least 1 s, so that a short one gives no high share.
    mutating func finish() {
        let now = millrace_monotonic_ns()
        publish(elapsed: max(1_000_000_000, now - lastWall), now: now)
    }

    private mutating func publish(elapsed: Int64, now: Int64) {
        let (cpu, waiting) = (millrace_thread_cpu_ns(), Self.waiting)
        usage.cpuNanoseconds = cpu - firstCPU
        usage.latest = Double(cpu - lastCPU) / Double(elapsed)
        usage.busiest = max(usage.busiest, usage.latest)
        usage.mostWaiting = max(usage.mostWaiting, Double(waiting - lastWaiting) / Double(elapsed))
        (lastWall, lastCPU, lastWaiting) = (now, cpu, waiting)
        publish(usage)
    }

    /// Nanoseconds for which this thread was ready to run but had no core; 0 if the kernel does not count them.
    private static var waiting: Int64 {
        // Time on a core, time waiting, number of time slices.
        let fields = (try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8))?.split(
            separator: " ")
        return fields.flatMap { $0.count > 1 ? Int64($0[1]) : nil } ?? 0
    }
}
