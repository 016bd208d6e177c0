/// Value of a statement's parameter.
enum MessageValue: Hashable, Sendable {
    case null
    case integer(Int64)
    /// Text of a column that statements compare.
    case text(String)
    /// Text of a message, which no statement compares.
    case body(String)

    init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
    init(_ value: Int) { self = .integer(Int64(value)) }
    init(_ value: Bool) { self = .integer(value ? 1 : 0) }
}

/// Row of a statement's result. A value of the wrong type is an error, so that a damaged store cannot cause a trap.
protocol MessageRow {
    func optionalInteger(_ column: String) throws -> Int64?
    func optionalText(_ column: String) throws -> String?
    /// Returns the text of a message.
    func optionalBody(_ column: String) throws -> String?
}

extension MessageRow {
    func integer(_ column: String) throws -> Int64 { try present(optionalInteger(column), column) }
    func text(_ column: String) throws -> String { try present(optionalText(column), column) }
    func body(_ column: String) throws -> String { try present(optionalBody(column), column) }
    func flag(_ column: String) throws -> Bool { try integer(column) != 0 }
    func count(_ column: String) throws -> Int { Int(clamping: try integer(column)) }

    private func present<Value>(_ value: Value?, _ column: String) throws -> Value {
        guard let value else { throw StorageError(.corrupted, "column \(column) has no value") }
        return value
    }
}

/// Connection to the database of a conversation store, within a transaction.
///
/// All databases execute the same statements. Parameters are `$1`, `$2` and so on, each used first in this order, because SQLite numbers them by
/// their first use. `user` is quoted, because PostgreSQL reserves the word.
protocol MessageConnection {
    associatedtype Row: MessageRow

    /// Executes a statement that returns no rows. Its error may be thrown by a later statement of the transaction, or by the commit.
    func run(_ sql: String, _ values: [MessageValue]) throws
    func rows<Value>(_ sql: String, _ values: [MessageValue], _ make: (Row) throws -> Value) throws -> [Value]
    /// Calls `body`, and rolls its changes back if it throws a `SignalingError`.
    func isolate<Value>(_ body: () throws -> Value) throws -> Value
}
