extension PostgresConnection {
    /// Sets the connection up for conversations, and makes the tables if they are missing.
    ///
    /// - Parameter listens: whether the connection receives notices about commits.
    func prepareMessages(listens: Bool) throws(PostgresError) {
        try run(script: PostgresMessageSchema.settings)
        var version = try messageVersion()
        if version == nil {
            try run(script: PostgresMessageSchema.creation)
            version = try messageVersion()
        }
        guard version == PostgresMessageSchema.version else {
            throw PostgresError(.connection, PostgresMessageSchema.mismatch(version), isOfVersion: true)
        }
        if listens { try run(script: "LISTEN \(PostgresMessageSchema.channel)") }
        try enterPipeline()
    }

    /// Returns the version of the tables; nil if there are none.
    func messageVersion() throws(PostgresError) -> Int64? {
        do {
            let rows = try run(script: PostgresMessageSchema.readVersion)
            return rows.count == 0 ? nil : try rows.value(0, 0)
        } catch {
            guard error.state == PostgresError.undefinedTable else { throw error }
            return nil
        }
    }
}
