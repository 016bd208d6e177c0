import Glibc

/// Mark of a file that a program has open for writing: an open file description lock (fcntl(2)). The system releases it
/// when the file is closed and when the process ends, so it distinguishes a growing file from one whose writer was
/// killed. The lock is advisory; a file system without locks has no mark.
enum WriteLock {
    // Values of Linux; the headers define the names only with _GNU_SOURCE.
    private static let query: Int32 = 36  // F_OFD_GETLK
    private static let set: Int32 = 37  // F_OFD_SETLK

    static func mark(_ descriptor: Int32) {
        var lock = wholeFile
        _ = fcntl(descriptor, set, &lock)
    }

    static func isMarked(_ descriptor: Int32) -> Bool {
        var lock = wholeFile
        return fcntl(descriptor, query, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static var wholeFile: Glibc.flock {
        var lock = Glibc.flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
