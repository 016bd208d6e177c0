import CPQ

/// Result of a statement.
final class PostgresRows {
    private let library: PostgresLibrary
    private let result: OpaquePointer

    /// Takes over the result, and frees it with the object.
    init(_ library: PostgresLibrary, _ result: OpaquePointer) {
        self.library = library
        self.result = result
    }

    deinit { library.clear(result) }

    var count: Int { Int(library.row_count(result)) }

    /// Failure that the result stands for; nil if the statement succeeded.
    var failure: PostgresError? {
        switch library.result_status(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
        default:
            let message = field(millrace_pq_message) ?? "the connection has failed"
            guard let state = field(millrace_pq_sqlstate) else { return PostgresError(.connection, message) }
            return PostgresError(state: state, message: message)
        }
    }

    /// Whether the result is the end of a pipeline.
    var isEndOfPipeline: Bool { library.result_status(result) == PGRES_PIPELINE_SYNC }
    /// Whether the statement was not executed, because an earlier one of its pipeline has failed.
    var isSkipped: Bool { library.result_status(result) == PGRES_PIPELINE_ABORTED }

    private func field(_ code: Int32) -> String? { library.error_field(result, code).map { String(cString: $0) } }

    /// Returns the value of a column that is not null.
    func text(_ row: Int, _ column: Int) -> String {
        guard let bytes = library.value(result, Int32(row), Int32(column)) else { return "" }
        let length = Int(library.length(result, Int32(row), Int32(column)))
        return bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
        }
    }

    func value<Value: LosslessStringConvertible>(_ row: Int, _ column: Int) throws(PostgresError) -> Value {
        guard let value = Value(text(row, column)) else {
            throw PostgresError(.statement, "column \(column) of the answer is not of type \(Value.self)")
        }
        return value
    }

    func bool(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

    /// Calls `body` with a value in the binary format of the database; returns nil for null.
    func bytes<Value>(
        _ row: Int, _ column: String, _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        let number = library.column(result, column)
        guard number >= 0, let bytes = library.value(result, Int32(row), number) else {
            throw PostgresError(.statement, "the answer has no column \(column)")
        }
        guard library.is_null(result, Int32(row), number) == 0 else { return nil }
        let length = Int(library.length(result, Int32(row), number))
        return try body(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
