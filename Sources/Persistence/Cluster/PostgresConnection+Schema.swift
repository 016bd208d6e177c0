extension PostgresConnection {
    /// Sets the limits of the connection, and makes the tables if they are missing or of an earlier version.
    func prepare() throws(PostgresError) {
        try run(script: StoreSchema.limits)
        var version = try storedVersion()
        if version.map({ $0 < StoreSchema.version }) ?? true {
            try run(script: StoreSchema.creation)
            version = try storedVersion()
        }
        guard version == StoreSchema.version else {
            let found = version.map { "version \($0)" } ?? "no version"
            throw PostgresError(
                .connection,
                "the cluster's tables have \(found), and this relay knows version \(StoreSchema.version): install a newer relay"
            )
        }
    }

    /// Returns the version of the tables; nil if there are none.
    private func storedVersion() throws(PostgresError) -> Int64? {
        do {
            let rows = try run(script: StoreSchema.readVersion)
            return rows.count == 0 ? nil : try rows.value(0, 0)
        } catch {
            guard error.state == PostgresError.undefinedTable else { throw error }
            return nil
        }
    }
}
