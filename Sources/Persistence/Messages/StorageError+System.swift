import Glibc

extension StorageError {
    /// - Parameter code: `errno` of a file that could not be opened.
    init(opening path: String, _ code: CInt) {
        let kind: Kind =
            switch code {
            case EROFS, EACCES, EPERM: .readOnly
            case ENOSPC, EDQUOT: .diskFull
            default: .directory
            }
        self.init(kind, "\(path) cannot be opened: \(String(cString: strerror(code)))")
    }
}
