import Signaling

/// Transaction of a PostgreSQL database. Statements without rows are sent together with the next one that has rows, or with the commit.
struct PostgresTransaction: MessageConnection {
    let connection: PostgresConnection

    func run(_ sql: String, _ values: [MessageValue]) throws { try connection.add(sql, values) }

    func rows<Value>(
        _ sql: String, _ values: [MessageValue], _ make: (PostgresRow) throws -> Value
    ) throws -> [Value] {
        try connection.add(sql, values)
        guard let rows = try connection.synchronize().last else { return [] }
        return try (0..<rows.count).map { try make(PostgresRow(rows: rows, row: $0)) }
    }

    func isolate<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.add("SAVEPOINT command")
        do {
            let value = try body()
            try connection.add("RELEASE SAVEPOINT command")
            return value
        } catch let error as SignalingError {
            try connection.add("ROLLBACK TO SAVEPOINT command")
            try connection.add("RELEASE SAVEPOINT command")
            throw error
        }
    }
}
