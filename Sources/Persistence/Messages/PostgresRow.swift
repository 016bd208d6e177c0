struct PostgresRow: MessageRow {
    let rows: PostgresRows
    let row: Int

    func optionalInteger(_ column: String) throws -> Int64? {
        try rows.bytes(row, column) { bytes throws(PostgresError) in
            switch bytes.count {
            case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            default: throw PostgresError(.statement, "column \(column) of the answer is not an integer")
            }
        }
    }

    func optionalText(_ column: String) throws -> String? {
        try rows.bytes(row, column) { bytes throws(PostgresError) in String(decoding: bytes, as: UTF8.self) }
    }

    func optionalBody(_ column: String) throws -> String? { try optionalText(column) }
}
