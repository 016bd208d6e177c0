import GRDB

extension MessageDatabase {
    /// Moves the log into the database, now.
    package func checkpoint() async throws(StorageError) {
        do {
            _ = try await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        } catch {
            throw failed(error)
        }
    }
}
