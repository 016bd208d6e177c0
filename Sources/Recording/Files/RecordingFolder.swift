import Glibc

/// Directories and small files of recordings, readable by their owner and group alone.
package enum RecordingFolder {
    /// Permissions of recordings, `index.json` and its temporary file.
    package static let fileMode: UInt32 = 0o640
    /// Permissions of directories that are made; those that exist stay as they are.
    package static let directoryMode: UInt32 = 0o750

    /// Makes a directory and those above it that are missing.
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
            // Another recording may have made it in the meantime.
            if errno == EEXIST { return }
            throw failure(path, errno)
        }
        // The umask does not count.
        guard chmod(path, mode_t(directoryMode)) == 0 else { throw failure(path, errno) }
    }

    /// Writes a file whole and renames it into place, so that it can be read at every moment.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(RecordingError) {
        let temporary = "\(path).tmp"
        // What a crash left is of no use; a link that someone put there is not followed.
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

    /// Free bytes for unprivileged processes of the file system; nil when it cannot be asked.
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
