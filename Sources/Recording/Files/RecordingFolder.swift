import Glibc

/// Directories and small files of recordings, which only their owner and group can read.
package enum RecordingFolder {
    /// Permissions of recordings, `index.json` and its temporary file.
    package static let fileMode: UInt32 = 0o640
    /// Permissions of new directories; existing ones are not changed.
    package static let directoryMode: UInt32 = 0o750

    /// Creates a directory with its missing parents.
    package static func create(_ path: String) throws(RecordingError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(path, ENOTDIR) }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            let parent = String(path[..<slash])
            if !parent.isEmpty, parent != "." { try create(parent) }
        }
        guard !path.hasSuffix("/") else { return }
        guard mkdir(path, mode_t(directoryMode)) == 0 else {
            // Another recording may have created it in the meantime.
            if errno == EEXIST { return }
            throw failure(path, errno)
        }
        // Sets the permissions regardless of the umask.
        guard chmod(path, mode_t(directoryMode)) == 0 else { throw failure(path, errno) }
    }

    /// Writes a new file and renames it into place, so that readers always see a complete file.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(RecordingError) {
        let temporary = "\(path).tmp"
        // Removes the rest of a crash. `O_EXCL` and `O_NOFOLLOW` refuse a link at this path.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(fileMode))
        guard descriptor >= 0 else { throw failure(temporary, errno) }
        var code = fchmod(descriptor, mode_t(fileMode)) == 0 ? 0 : errno
        var done = 0
        while code == 0, done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                code = count == 0 ? ENOSPC : errno
            }
        }
        if Glibc.close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(path, code)
        }
    }

    /// Returns the free bytes of the file system for unprivileged processes; nil on error.
    package static func freeBytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }

    private static func failure(_ path: String, _ code: Int32) -> RecordingError {
        .directory(path: path, code: code, reason: String(cString: strerror(code)))
    }
}
