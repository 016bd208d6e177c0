import Dispatch

/// Executor on a queue that a test can identify.
final class NamedExecutor: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "millrace.test.executor")

    init() { queue.setSpecific(key: Self.key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
