import CLinuxNet

/// CPU time of this process.
enum ProcessorTime {
    /// Nanoseconds, of all threads.
    static var process: Int64 { millrace_process_cpu_ns() }
}
