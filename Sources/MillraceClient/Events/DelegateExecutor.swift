public import Dispatch

/// Executor of a delegate's callbacks. With any executor, callbacks run one at a time and in order.
public struct DelegateExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: runs the given closure once and soon; it must return without waiting for the closure if that
    ///   would block the caller.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// Runs callbacks on a dispatch queue, serial or concurrent.
    public static func queue(_ queue: DispatchQueue) -> DelegateExecutor {
        DelegateExecutor { work in queue.async(execute: work) }
    }

    /// Runs callbacks on the main actor.
    public static var main: DelegateExecutor {
        DelegateExecutor { work in Task { @MainActor in work() } }
    }

    /// Runs callbacks on a task executor of the application.
    public static func executor(_ executor: any TaskExecutor) -> DelegateExecutor {
        DelegateExecutor { work in Task(executorPreference: executor) { work() } }
    }
}
