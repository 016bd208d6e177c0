import Foundation
import GRDB
package import Messaging
import Signaling

extension MessageDatabase {
    /// Carries out a command that may change something. Completions run in the order of the commits, on the thread that writes: they have to
    /// be short.
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
            let error = SignalingError(.rateLimited, "too much waits for the relay's disk", retryAfter: 1)
            completion(.failure(.refused(error)))
        case .start: pool.asyncWriteWithoutTransaction { self.drain($0) }
        }
    }

    /// The same, waiting for it.
    package func perform(_ command: MessagingCommand) async -> Answer {
        await withCheckedContinuation { continuation in
            submit(command) { continuation.resume(returning: $0) }
        }
    }

    /// Carries out a command that only reads. It sees what was committed before.
    package func read(_ command: MessagingCommand) async -> Answer {
        precondition(command.isReading, "the command writes")
        do {
            let (limits, now) = (limits, wallClock())
            let outcome = try await pool.read { db in
                var rules = Messaging(try MessageStore(db), limits: limits, now: now)
                return try rules.apply(command)
            }
            state.withLock { $0.statistics.commands += 1 }
            return .success(outcome)
        } catch let error as SignalingError {
            return .failure(.refused(error))
        } catch {
            return .failure(.failed(failed(error)))
        }
    }

    private func drain(_ db: Database) {
        let batch = state.withLock { state -> [Pending] in
            let batch = Array(state.pending.prefix(configuration.batch))
            state.pending.removeFirst(batch.count)
            return batch
        }
        let rest = batch.dropFirst(commit(batch, db))
        let isMore = state.withLock { state -> Bool in
            state.pending.insert(contentsOf: rest, at: 0)
            state.isWriting = !state.pending.isEmpty
            return state.isWriting
        }
        if isMore { pool.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    /// Carries out and answers the first of a batch, as many as one commit takes, in one transaction. Where that fails, and not for the disk's
    /// sake, each is tried again in a transaction of its own: what is wrong with one row is the failure of those who need it.
    ///
    /// - Returns: how many were answered, at least one.
    private func commit(_ batch: [Pending], _ db: Database) -> Int {
        do {
            let answers = try transact(batch, db)
            for (pending, answer) in zip(batch, answers) { pending.completion(answer) }
            return answers.count
        } catch {
            if batch.count > 1, !StorageError.isOfStore(error) {
                commitEach(batch, db)
            } else {
                fail(batch[...], failed(error))
            }
            return batch.count
        }
    }

    private func commitEach(_ batch: [Pending], _ db: Database) {
        for (index, pending) in batch.enumerated() {
            do {
                for answer in try transact([pending], db) { pending.completion(answer) }
            } catch {
                // The others would wait for the same failure one after the other.
                let isOfStore = StorageError.isOfStore(error)
                fail(isOfStore ? batch[index...] : batch[index...index], failed(error))
                if isOfStore { return }
            }
        }
    }

    private func fail(_ batch: ArraySlice<Pending>, _ error: StorageError) {
        for pending in batch { pending.completion(.failure(.failed(error))) }
    }

    /// One transaction; what the rules refuse is undone by itself, a failure of the store undoes all.
    ///
    /// - Returns: answers to the first of the batch: to as many as are work enough for one commit, so that others do not wait long behind them.
    private func transact(_ batch: [Pending], _ db: Database) throws -> [Answer] {
        let start = DispatchTime.now().uptimeNanoseconds
        var answers: [Answer] = []
        var cost = 0
        try db.inTransaction(.immediate) {
            let store = try MessageStore(db)
            for pending in batch {
                let expected = pending.command.cost
                guard answers.isEmpty || cost + expected <= configuration.batchCost else { break }
                let answer = try apply(pending.command, store, db)
                // How many members a group has turns out with its first message.
                cost += max(expected, (try? answer.get())?.cost ?? 1)
                answers.append(answer)
            }
            return .commit
        }
        let (count, seconds) = (answers.count, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
        state.withLock {
            $0.statistics.commands += UInt64(count)
            $0.statistics.commits += 1
            $0.statistics.longestCommit = max($0.statistics.longestCommit, seconds)
        }
        return answers
    }

    private func apply(_ command: MessagingCommand, _ store: MessageStore, _ db: Database) throws -> Answer {
        var answer: Answer?
        try db.inSavepoint {
            do {
                var rules = Messaging(store, limits: limits, now: wallClock())
                answer = .success(try rules.apply(command))
                return .commit
            } catch let error as SignalingError {
                answer = .failure(.refused(error))
                return .rollback
            }
        }
        return answer ?? .failure(.refused(SignalingError(.internalError)))
    }
}
