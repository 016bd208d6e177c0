import Foundation

/// CPU time of the threads of this process that have one name.
struct ThreadTimes {
    /// Number of the threads.
    var threads = 0
    /// Time on a core so far, in nanoseconds.
    var running: Int64 = 0
    /// Time in which the threads could run, but had no core, in nanoseconds.
    var waiting: Int64 = 0

    /// Reads the times from the kernel. Threads that have ended are not included.
    /// - Throws: `BenchError` if no thread has the name, or if the kernel does not count the time of threads.
    init(named name: String) throws {
        for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            let folder = "/proc/self/task/\(task)"
            // A thread may end while its files are read.
            guard let comm = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
                comm.trimmingCharacters(in: .whitespacesAndNewlines) == name,
                let text = try? String(contentsOfFile: folder + "/schedstat", encoding: .utf8)
            else { continue }
            let times = text.split { !$0.isNumber }.compactMap { Int64($0) }
            guard times.count >= 2 else { continue }
            threads += 1
            running += times[0]
            waiting += times[1]
        }
        guard threads > 0 else { throw BenchError("no thread named \(name) with a time in /proc/self/task") }
    }
}
