import CPQ
import Cluster

/// Parameters of connections to the database: those of a connection URI, and defaults for the others.
struct PostgresAddress: Sendable, CustomStringConvertible {
    /// A host that does not answer is given up within seconds, so that the next one is tried before leases end.
    private static let defaults = [
        ("target_session_attrs", "read-write"), ("connect_timeout", "2"), ("tcp_user_timeout", "3000"),
        ("keepalives", "1"), ("keepalives_idle", "3"), ("keepalives_interval", "1"), ("keepalives_count", "3"),
        ("application_name", "millrace"), ("client_encoding", "UTF8"),
    ]

    /// Values by libpq's keywords. They can contain passwords.
    private let values: [String: String]

    /// - Parameter url: connection URI of libpq, which can name several hosts.
    /// - Throws: a reason without any part of the URI, since each can contain the password.
    init(_ url: String, _ library: PostgresLibrary) throws(StoreFailure) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw StoreFailure("the address of the database does not begin with postgres:// or postgresql://")
        }
        guard !url.utf8.contains(0) else { throw StoreFailure("the address of the database contains U+0000") }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.parse_uri(url, &message) else {
            // libpq quotes the faulty part behind the reason.
            let text = message.map { String(cString: $0) } ?? ""
            if let message { library.free_memory(message) }
            let reason = text.prefix { $0 != "\"" && $0 != "\n" }.split(separator: " ").joined(separator: " ")
            throw StoreFailure("the address of the database is not a valid connection URI: \(reason)")
        }
        defer { library.free_options(options) }
        var values = Dictionary(uniqueKeysWithValues: Self.defaults)
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.values = values
    }

    /// Hosts, ports and name of the database.
    var description: String {
        let hosts = values["host"] ?? values["hostaddr"] ?? "default host"
        let port = values["port"].map { " port \($0)" } ?? ""
        let database = values["dbname"].map { " database \($0)" } ?? ""
        return hosts + port + database
    }

    /// Calls `body` with libpq's arrays of keywords and values, each with a null pointer at its end.
    func withParameters<Result>(
        _ body: (_ keywords: [UnsafePointer<CChar>?], _ values: [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let keywords = CStrings(Array(values.keys)), texts = CStrings(Array(values.values))
        return withExtendedLifetime((keywords, texts)) { body(keywords.pointers + [nil], texts.pointers + [nil]) }
    }
}
