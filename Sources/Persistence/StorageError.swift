import GRDB
package import Signaling

/// Why something could not be stored or read, or the store not be opened.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case diskFull
        case readOnly
        case locked
        case corrupted
        /// The store was written by a newer version of this program.
        case newer
        case directory
        case failed
    }

    package var kind: Kind
    /// What happened, for operators.
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
        guard let error = error as? DatabaseError else {
            // Neither the row nor its values: they are what people wrote.
            let isRow = error is RowDecodingError
            self.init(
                isRow ? .corrupted : .failed, isRow ? "a column has a value of another kind" : "\(type(of: error))")
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
        // Not the statement's arguments: they are what people wrote.
        self.init(kind, "SQLite says \(error.extendedResultCode.rawValue): \(error.message ?? "nothing")")
    }

    /// Whether it is the disk's, the file's or another program's doing: whatever else is asked of the store then fails as well. Otherwise it may
    /// be of the rows that were asked for.
    static func isOfStore(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        switch error.resultCode {
        case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED,
            .SQLITE_CANTOPEN,
            .SQLITE_NOTADB, .SQLITE_NOMEM, .SQLITE_MISUSE:
            return true
        default: return false
        }
    }

    /// What the operator is to do.
    package var advice: String {
        switch kind {
        case .diskFull: "free space on the disk of storage.directory, or raise storage.maximumMegabytes"
        case .readOnly: "let the relay's user write to storage.directory and its files"
        case .locked: "another program holds the database: end it, or give each relay a storage.directory of its own"
        case .corrupted:
            "stop the relay, keep the files, then put back a backup or recover what can be read:"
                + " sqlite3 messages.sqlite .recover | sqlite3 recovered.sqlite"
        case .newer: "run the version of millrace that wrote it, or a later one"
        case .directory: "check that storage.directory exists or can be made"
        case .failed: "see the detail; the disk may be failing"
        }
    }

    package var description: String { "\(kind.rawValue): \(detail)" }

    /// What the user is told whose request it was. Paths and details are the operator's.
    package var answer: SignalingError {
        switch kind {
        case .diskFull: SignalingError(.storageFailed, "the relay's storage is full", retryAfter: 60)
        case .readOnly: SignalingError(.storageFailed, "the relay's storage is read-only", retryAfter: 60)
        case .locked: SignalingError(.storageFailed, "the relay's storage is busy", retryAfter: 1)
        case .corrupted: SignalingError(.storageFailed, "the relay's storage is damaged")
        case .newer, .directory, .failed: SignalingError(.storageFailed)
        }
    }
}
