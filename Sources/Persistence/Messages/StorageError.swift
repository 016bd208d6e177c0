import Cluster
import GRDB
package import Signaling

/// Failure to open, read or write the store.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case diskFull
        case readOnly
        case locked
        case corrupted
        /// The store was written by a newer version of this program.
        case newer
        case directory
        /// The database does not answer, or the connection to it was lost.
        case unreachable
        case failed
    }

    package var kind: Kind
    /// Description for operators.
    package var detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    init(_ error: any Error) {
        if let error = error as? StorageError {
            self = error
            return
        }
        if let error = error as? PostgresError {
            self.init(Self.kind(error), error.reason)
            return
        }
        if let error = error as? StoreFailure {
            self.init(.unreachable, error.reason)
            return
        }
        guard let error = error as? DatabaseError else {
            // The error's text could contain parts of users' messages, so it is left out.
            let isRow = error is RowDecodingError
            self.init(
                isRow ? .corrupted : .failed, isRow ? "a column has a value of the wrong type" : "\(type(of: error))")
            return
        }
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_FULL: .diskFull
            case .SQLITE_READONLY, .SQLITE_PERM: .readOnly
            case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupted
            case .SQLITE_CANTOPEN: .directory
            default: .failed
            }
        // The statement's arguments contain users' messages, so they are left out.
        self.init(kind, "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")")
    }

    /// Returns whether the cause is the disk, the file or another program, so that all other commands fail as well.
    /// Otherwise the cause may be the requested rows.
    static func isOfStore(_ error: any Error) -> Bool {
        if error is StoreFailure { return true }
        if let error = error as? PostgresError {
            // A statement that takes too long may be that of one command.
            return error.cause != .statement
                || error.state != PostgresError.queryCanceled && ![.failed, .corrupted].contains(kind(error))
        }
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED,
            .SQLITE_CANTOPEN,
            .SQLITE_NOTADB, .SQLITE_NOMEM, .SQLITE_MISUSE:
            return true
        default: return false
        }
    }

    private static func kind(_ error: PostgresError) -> Kind {
        switch error.state {
        case "53100": return .diskFull
        // Privileges, and a server that only reads.
        case "42501", "25006": return .readOnly
        // Time limits of a lock, of a statement, and of a transaction in which the relay was silent.
        case "55P03", PostgresError.queryCanceled, "25P03": return .locked
        case "XX001", "XX002": return .corrupted
        default: return error.isOfVersion ? .newer : error.cause == .statement ? .failed : .unreachable
        }
    }

    /// Advice for the operator.
    package var advice: String {
        switch kind {
        case .diskFull: "free space on the disk of the database, or raise storage.maximumMegabytes"
        case .readOnly:
            "let the relay's user write to storage.directory and its files, or to the database of storage.url"
        case .locked:
            "another program or relay holds the database for long: end it, or give each relay a storage.directory of its own"
        case .corrupted:
            "stop the relay, keep the files, then restore a backup or recover what can be read:"
                + " sqlite3 messages.sqlite .recover | sqlite3 recovered.sqlite"
        case .newer: "run the version of millrace that wrote it, or a later one"
        case .directory: "check that storage.directory exists or can be created"
        case .unreachable: "check storage.url, the database and the network to it"
        case .failed: "see the detail; the disk may be failing"
        }
    }

    package var description: String { "\(kind.rawValue): \(detail)" }

    /// Error for the user whose request failed. Paths and details are only for the operator.
    package var answer: SignalingError {
        switch kind {
        case .diskFull: SignalingError(.storageFailed, "the relay's storage is full", retryAfter: 60)
        case .readOnly: SignalingError(.storageFailed, "the relay's storage is read-only", retryAfter: 60)
        case .locked: SignalingError(.storageFailed, "the relay's storage is busy", retryAfter: 1)
        case .corrupted: SignalingError(.storageFailed, "the relay's storage is damaged")
        case .unreachable:
            SignalingError(.storageFailed, "the relay's database does not answer", retryAfter: 1)
        case .newer, .directory, .failed: SignalingError(.storageFailed)
        }
    }
}
