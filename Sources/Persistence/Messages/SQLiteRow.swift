import Foundation
import GRDB

struct SQLiteRow: MessageRow {
    let row: GRDB.Row

    func optionalInteger(_ column: String) throws -> Int64? { try row.decode(Int64?.self, forColumn: column) }
    func optionalText(_ column: String) throws -> String? { try row.decode(String?.self, forColumn: column) }
    func optionalBody(_ column: String) throws -> String? {
        try row.decode(Data?.self, forColumn: column).map { String(decoding: $0, as: UTF8.self) }
    }
}
