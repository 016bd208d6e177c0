import GRDB

/// Properties of a store in a directory.
extension MessageDatabase {
    private func pool() throws(StorageError) -> DatabasePool {
        guard let engine = engine as? SQLiteMessages else { throw StorageError(.failed, "the store is not in a file") }
        return engine.pool
    }

    /// Moves the write-ahead log into the database immediately.
    package func checkpoint() async throws(StorageError) {
        do {
            _ = try await pool().writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw failed(error)
        }
    }

    /// Returns the writer's durability level (`PRAGMA synchronous`); 2 means that a commit is on disk before it is
    /// answered.
    package func writerSynchronous() throws(StorageError) -> Int {
        do {
            return try pool().writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") } ?? -1
        } catch {
            throw StorageError(error)
        }
    }
}
