import GRDB

extension MessageDatabase {
    /// Moves the write-ahead log into the database immediately.
    package func checkpoint() async throws(StorageError) {
        do {
            _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw failed(error)
        }
    }
}
