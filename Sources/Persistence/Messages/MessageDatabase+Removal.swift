package import Messaging

extension MessageDatabase {
    /// Messages removed in one slice. Bounds the delay of other commands.
    package static let slice = 500

    /// Removes one slice of messages that are too old or no longer visible to any user.
    ///
    /// - Parameters:
    ///   - time: age limit, in milliseconds since 1970; nil for none.
    ///   - completion: runs like that of `submit`.
    /// - Returns: number of removed messages; nil if there is nothing left to do.
    package func sweep(
        olderThan time: Int64?, completion: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async -> Result<Int?, StorageFailure> {
        await slice(.sweep(olderThan: time, limit: Self.slice), completion).map { answer in
            guard case .swept(let removed, _) = answer else { return nil }
            reports.count { $0.removedMessages += UInt64(removed ?? 0) }
            return removed
        }
    }

    /// Removes one slice of a user's data.
    ///
    /// - Returns: whether the user is completely removed.
    package func removeSlice(
        of user: UserKey, completion: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async -> Result<Bool, StorageFailure> {
        await slice(MessagingCommand(user: user, action: .removeSlice(limit: Self.slice)), completion).map { answer in
            answer == .sliceRemoved(isDone: true)
        }
    }

    private func slice(
        _ command: MessagingCommand, _ completion: @escaping @Sendable (Answer) -> Void
    ) async -> Result<MessagingAnswer, StorageFailure> {
        await withCheckedContinuation { continuation in
            submit(command) { answer in
                completion(answer)
                continuation.resume(returning: answer.map(\.answer))
            }
        }
    }
}
