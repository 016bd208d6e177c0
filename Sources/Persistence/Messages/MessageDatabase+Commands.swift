import Foundation
import MediaBase
package import Messaging
import Signaling

extension MessageDatabase {
    /// Queues a command that may write. Completions run on the writer's thread in the order of commits, so they must be
    /// short.
    package func submit(_ command: MessagingCommand, completion: @escaping @Sendable (Answer) -> Void) {
        enum Step { case full, start, wait }
        let step = state.withLock { state -> Step in
            guard state.pending.count < configuration.queue else { return .full }
            state.pending.append(Pending(command: command, completion: completion))
            defer { state.isWriting = true }
            return state.isWriting ? .wait : .start
        }
        switch step {
        case .wait: break
        case .full:
            let error = SignalingError(.rateLimited, "too many commands wait for the relay's database", retryAfter: 1)
            completion(.failure(.refused(error)))
        case .start: engine.write { self.drain($0) }
        }
    }

    /// Performs a command that may write, and waits for its commit.
    package func perform(_ command: MessagingCommand) async -> Answer {
        await withCheckedContinuation { continuation in
            submit(command) { continuation.resume(returning: $0) }
        }
    }

    /// Performs a read-only command, which sees all earlier commits.
    package func read(_ command: MessagingCommand) async -> Answer {
        precondition(command.isReading, "the command writes")
        do {
            let (limits, now) = (limits, wallClock())
            let outcome = try await engine.read { try Self.carryOut(command, in: $0, limits, now) }
            reports.count { $0.commands += 1 }
            return .success(outcome)
        } catch let error as SignalingError {
            return .failure(.refused(error))
        } catch {
            return .failure(.failed(failed(error)))
        }
    }

    private static func carryOut(
        _ command: MessagingCommand, in transaction: some MessageTransaction, _ limits: MessagingLimits, _ now: Int64
    ) throws -> MessagingOutcome {
        var rules = Messaging(transaction, limits: limits, now: now)
        return try rules.apply(command)
    }

    private func drain(_ writer: any MessageWriter) {
        let batch = state.withLock { state -> [Pending] in
            let batch = Array(state.pending.prefix(configuration.batch))
            state.pending.removeFirst(batch.count)
            return batch
        }
        let rest = batch.dropFirst(commit(batch, writer))
        let isMore = state.withLock { state -> Bool in
            state.pending.insert(contentsOf: rest, at: 0)
            state.isWriting = !state.pending.isEmpty
            return state.isWriting
        }
        if isMore { engine.write { self.drain($0) } }
    }

    /// Commits the first commands of a batch, up to `batchCost`, in one transaction and answers them. If the
    /// transaction fails for another reason than the store, each command is retried in its own transaction, so that a
    /// damaged row only fails the commands that need it.
    ///
    /// - Returns: number of answered commands, at least one.
    private func commit(_ batch: [Pending], _ writer: any MessageWriter) -> Int {
        do {
            let answers = try transact(batch, writer)
            for (pending, answer) in zip(batch, answers) { pending.completion(answer) }
            return answers.count
        } catch {
            if batch.count > 1, !StorageError.isOfStore(error) {
                commitEach(batch, writer)
            } else {
                fail(batch[...], failed(error))
            }
            return batch.count
        }
    }

    private func commitEach(_ batch: [Pending], _ writer: any MessageWriter) {
        for (index, pending) in batch.enumerated() {
            do {
                for answer in try transact([pending], writer) { pending.completion(answer) }
            } catch {
                // If the store failed, the other commands would fail as well, each after a timeout.
                let isOfStore = StorageError.isOfStore(error)
                fail(isOfStore ? batch[index...] : batch[index...index], failed(error))
                if isOfStore { return }
            }
        }
    }

    private func fail(_ batch: ArraySlice<Pending>, _ error: StorageError) {
        for pending in batch { pending.completion(.failure(.failed(error))) }
    }

    /// Runs one transaction. A command that the rules refuse is rolled back alone; an error of the store rolls back the
    /// transaction.
    ///
    /// - Returns: answers to the first commands of the batch, up to `batchCost`, which bounds the delay of later
    ///   commands.
    private func transact(_ batch: [Pending], _ writer: any MessageWriter) throws -> [Answer] {
        let start = DispatchTime.now().uptimeNanoseconds
        let answers = try writer.transact { transaction in
            var done = MessageBatch()
            var cost = 0
            let end = writer.batchTime.map { .monotonic + $0 } ?? MediaTime.never
            for pending in batch {
                let expected = pending.command.cost
                guard done.answers.isEmpty || cost + expected <= configuration.batchCost && .monotonic < end else {
                    break
                }
                let answer = try apply(pending.command, transaction)
                let outcome = try? answer.get()
                // The number of members of a group is only known after the first message to it.
                cost += max(expected, outcome?.cost ?? 1)
                done.answers.append(answer)
                if let outcome, !outcome.deliveries.isEmpty {
                    done.announcements.append(
                        MessageAnnouncement(app: outcome.app(of: pending.command), deliveries: outcome.deliveries))
                }
            }
            return done
        }.answers
        let (count, seconds) = (answers.count, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
        reports.count {
            $0.commands += UInt64(count)
            $0.commits += 1
            $0.longestCommit = max($0.longestCommit, seconds)
        }
        return answers
    }

    private func apply(_ command: MessagingCommand, _ transaction: some DivisibleTransaction) throws -> Answer {
        do {
            return .success(
                try transaction.isolate { try Self.carryOut(command, in: transaction, limits, wallClock()) })
        } catch let error as SignalingError {
            return .failure(.refused(error))
        }
    }
}
