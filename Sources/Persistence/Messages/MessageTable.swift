/// Table that all databases of conversations have, with the columns of its current version.
struct MessageTable: Sendable {
    enum Kind {
        case integer
        case text
        case body
    }

    let name: String
    let columns: [(name: String, kind: Kind)]
    /// Columns of the primary key.
    let key: String
    /// Whether the database numbers new rows itself.
    var isNumbered = false

    private static func integers(_ names: String) -> [(name: String, kind: Kind)] {
        names.split(separator: " ").map { (String($0), .integer) }
    }

    static let all = [
        MessageTable(
            name: "user",
            columns: integers("id") + [("app", .text), ("identity", .text), ("name", .text)]
                + integers("created tick unread groups acted"), key: "id", isNumbered: true),
        MessageTable(
            name: "thread",
            columns: integers("id kind a b") + [("groupID", .text), ("name", .text)]
                + integers("lastNumber lastTime firstTime purge dismissed ended creator"), key: "id", isNumbered: true),
        MessageTable(
            name: "entry",
            columns: integers("user thread ord change unread readThrough cleared muted listed joined"),
            key: "\"user\", thread"),
        MessageTable(
            name: "message",
            columns: integers("thread number sender") + [("client", .text), ("text", .body)] + integers("time"),
            key: "thread, number"),
        MessageTable(
            name: "receipt",
            columns: integers("sender") + [("client", .text)] + integers("thread number time removed"),
            key: "sender, client"),
    ]

    /// PostgreSQL folds names that are not quoted to lower case, as it did when the tables were made.
    private static func quoted(_ name: String) -> String { name == "user" ? "\"user\"" : name }

    private func list(_ make: (String) -> String) -> String { columns.map { make($0.name) }.joined(separator: ", ") }

    var selection: String { "SELECT \(list { "\(Self.quoted($0)) AS c_\($0)" }) FROM \"\(name)\" ORDER BY \(key)" }

    var insertion: String {
        let placeholders = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        return "INSERT INTO \"\(name)\" (\(list(Self.quoted))) VALUES (\(placeholders))"
    }

    /// Returns a row if the table has any.
    var probe: String { "SELECT 1 AS value FROM \"\(name)\" LIMIT 1" }

    var count: String { "SELECT count(*) AS value FROM \"\(name)\"" }

    /// Continues the numbers behind the largest one, in PostgreSQL.
    var continuation: String {
        """
        SELECT setval(pg_get_serial_sequence('"\(name)"', 'id'), greatest((SELECT max(id) FROM "\(name)"), 1)) AS value
        """
    }

    /// Returns the values of a row of `selection`.
    func values(_ row: some MessageRow) throws -> [MessageValue] {
        try columns.map { name, kind in
            switch kind {
            case .integer: MessageValue(try row.optionalInteger("c_\(name)"))
            case .text: try row.optionalText("c_\(name)").map { .text($0) } ?? .null
            case .body: try row.optionalBody("c_\(name)").map { .body($0) } ?? .null
            }
        }
    }
}
