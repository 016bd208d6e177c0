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
