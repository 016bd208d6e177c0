import Foundation
import GRDB
import Signaling

/// Transaction of an SQLite database.
struct SQLiteConnection: MessageConnection {
    let db: Database

    func run(_ sql: String, _ values: [MessageValue]) throws {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values.map(\.databaseValue)))
    }

    func rows<Value>(
        _ sql: String, _ values: [MessageValue], _ make: (SQLiteRow) throws -> Value
    ) throws -> [Value] {
        let arguments = StatementArguments(values.map(\.databaseValue))
        let cursor = try GRDB.Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var made: [Value] = []
        while let row = try cursor.next() { made.append(try make(SQLiteRow(row: row))) }
        return made
    }

    func isolate<Value>(_ body: () throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        try db.inSavepoint {
            do {
                result = .success(try body())
                return .commit
            } catch let error as SignalingError {
                result = .failure(error)
                return .rollback
            }
        }
        guard let result else { throw SignalingError(.internalError) }
        return try result.get()
    }
}

extension MessageValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .text(let text): text.databaseValue
        case .body(let text): Data(text.utf8).databaseValue
        }
    }
}
