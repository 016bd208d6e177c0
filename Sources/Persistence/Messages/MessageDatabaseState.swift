package import Cluster

/// State of a PostgreSQL database that relays share for conversations.
package struct MessageDatabaseState: Sendable {
    /// Requests of which the latency is the median.
    private static let requests = 9

    /// Time from a request to its answer.
    package let latency: Duration
    /// Whether the database has the tables. A relay makes them when it starts.
    package let hasTables: Bool
    /// Whether the user may make the tables.
    package let allowsTables: Bool

    /// Connects to a database and examines it. It is not changed. Waits for at most some seconds for each of its hosts.
    ///
    /// - Parameter url: connection URI of libpq.
    /// - Throws: also for tables of a version that this program does not know. No failure contains the password.
    package init(url: String) throws(StoreFailure) {
        let library = try PostgresLibrary.shared.get()
        let address = try PostgresAddress(url, library)
        do throws(PostgresError) {
            let connection = try PostgresConnection(address, library, isCancelled: { false })
            try connection.run(script: PostgresMessageSchema.settings)
            let version = try connection.messageVersion()
            if let version, version != PostgresMessageSchema.version {
                throw PostgresError(.connection, PostgresMessageSchema.mismatch(version), isOfVersion: true)
            }
            hasTables = version != nil
            allowsTables = try connection.run(script: PostgresMessageSchema.readPrivilege).text(0, 0) == "t"
            var times: [Duration] = []
            for _ in 0..<Self.requests {
                let began = ContinuousClock.now
                try connection.run(script: "SELECT 1")
                times.append(.now - began)
            }
            latency = times.sorted()[times.count / 2]
        } catch { throw StoreFailure(error.reason) }
    }
}
