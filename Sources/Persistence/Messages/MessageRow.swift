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
