import Glibc

/// The process's limit of open files (`RLIMIT_NOFILE`).
///
/// Distributions keep the soft limit at 1,024 for programs that use `select`; this process polls with epoll only, so it may use the hard
/// limit.
public enum OpenFileLimit {
    /// Raises the soft limit to the hard limit. If that fails, the limit stays as it was.
    ///
    /// - Returns: the soft limit afterwards; nil if it cannot be read.
    @discardableResult
    public static func raise() -> Int? {
        guard var limit = read() else { return nil }
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(resource, &limit)
        }
        return soft
    }

    /// Current soft limit; nil if it cannot be read.
    package static var soft: Int? { read().map { Int(clamping: $0.rlim_cur) } }

    /// Hard limit, which `raise` sets; nil if it cannot be read.
    package static var hard: Int? { read().map { Int(clamping: $0.rlim_max) } }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static func read() -> rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
