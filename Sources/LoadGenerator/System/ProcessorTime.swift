import CLinuxNet

/// CPU time of this process.
enum ProcessorTime {
    /// CPU time of all threads in nanoseconds.
    static var process: Int64 { millrace_process_cpu_ns() }
}
