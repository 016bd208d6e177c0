public import Dispatch

/// Where a delegate's callbacks run. Whatever it is, they come one at a time and in order.
public struct DelegateExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameter run: runs what it is given once, soon, and not before it returns where that would block the caller.
    public init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// A dispatch queue, serial or not.
    public static func queue(_ queue: DispatchQueue) -> DelegateExecutor {
        DelegateExecutor { work in queue.async(execute: work) }
    }

    /// The main actor.
    public static var main: DelegateExecutor {
        DelegateExecutor { work in Task { @MainActor in work() } }
    }

    /// A task executor of the application's.
    public static func executor(_ executor: any TaskExecutor) -> DelegateExecutor {
        DelegateExecutor { work in Task(executorPreference: executor) { work() } }
    }
}
