import Synchronization

/// Receivers of what a store reports without a command, and its statistics.
final class MessageReports: Sendable {
    private struct State {
        var onFailure: (@Sendable (StorageError) -> Void)?
        var onNews: (@Sendable (MessageNews) -> Void)?
        var statistics = StorageStatistics()
    }

    private let state = Mutex(State())

    var statistics: StorageStatistics { state.withLock { $0.statistics } }

    func count(_ change: (inout StorageStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    func setFailures(_ body: @escaping @Sendable (StorageError) -> Void) { state.withLock { $0.onFailure = body } }
    func setNews(_ body: @escaping @Sendable (MessageNews) -> Void) { state.withLock { $0.onNews = body } }

    /// Counts the failure of a command.
    func failed(_ error: any Error) -> StorageError {
        let error = StorageError(error)
        count { $0.failures[error.kind, default: 0] += 1 }
        return error
    }

    /// Counts and reports a failure that belongs to no command.
    func failedByItself(_ error: any Error) {
        let error = failed(error)
        state.withLock { $0.onFailure }?(error)
    }

    func tell(_ news: MessageNews) { state.withLock { $0.onNews }?(news) }
}
