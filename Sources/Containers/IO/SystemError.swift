import Glibc

/// Helpers for errno.
enum SystemError {
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    static func isOutOfSpace(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
