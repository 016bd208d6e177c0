import CPQ
import Cluster

/// Functions of libpq, which is loaded at the first use.
@dynamicMemberLookup
struct PostgresLibrary: @unchecked Sendable {
    static let shared: Result<PostgresLibrary, StoreFailure> = {
        var reason: UnsafePointer<CChar>?
        if let functions = millrace_pq_load(&reason) { return .success(PostgresLibrary(functions: functions)) }
        let text = reason.map { String(cString: $0) } ?? "unknown reason"
        return .failure(
            StoreFailure("PostgreSQL's client library cannot be loaded (\(text)); install the package libpq5"))
    }()

    /// Constant from the end of loading on, so that all threads may read it.
    private let functions: UnsafePointer<millrace_pq>

    subscript<Function>(dynamicMember member: KeyPath<millrace_pq, Function>) -> Function {
        functions.pointee[keyPath: member]
    }

    /// Returns the latest error of a connection.
    func message(_ connection: OpaquePointer) -> String {
        self.error_message(connection).map { String(cString: $0) } ?? "unknown error"
    }
}
