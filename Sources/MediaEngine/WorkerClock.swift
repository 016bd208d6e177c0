import CLinuxNet
import MediaBase

/// Clock of a worker: the system's, or that of `VirtualIO`.
struct WorkerClock: ~Copyable {
    private let virtual: VirtualIO?

    /// - Parameter virtual: nil in real time.
    init(_ virtual: VirtualIO?) { self.virtual = virtual }

    /// Monotonic time.
    @inline(__always)
    var now: MediaTime {
        if let virtual { return virtual.now }
        return MediaTime(rawValue: millrace_monotonic_ns())
    }

    /// CPU time of the calling thread since its start.
    var threadTime: MediaTime { virtual?.threadTime ?? MediaTime(rawValue: millrace_thread_cpu_ns()) }

    /// Nanoseconds since 1970.
    var realTime: Int64 { virtual?.now.rawValue ?? millrace_realtime_ns() }
}
