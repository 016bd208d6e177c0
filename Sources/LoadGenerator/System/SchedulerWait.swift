#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Time for which threads were ready to run but had to wait for a core.
enum SchedulerWait {
    /// Nanoseconds of the calling thread since it began; 0 if the kernel does not count them.
    static var thread: Int64 {
        let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return 0 }
            // Time on a core, time waiting, number of time slices.
            let fields = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
            return fields.count >= 2 ? Int64(fields[1]) ?? 0 : 0
        }
    }
}
