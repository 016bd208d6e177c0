import CLinuxNet
import MediaEngine

/// Measured period of a relay in this process.
struct EnginePeriod {
    /// State of the relay at one moment.
    private struct Sample {
        var counters: EngineCounters
        var process = millrace_process_cpu_ns()
        var wall = millrace_monotonic_ns()
    }

    private let before: Sample
    private let after: Sample

    /// Measures from now on.
    init(of engine: MediaEngine, seconds: Double) async throws {
        before = Sample(counters: await engine.counters())
        try await Task.sleep(for: .seconds(seconds))
        after = Sample(counters: await engine.counters())
    }

    /// Counters at the end.
    var counters: EngineCounters { after.counters }

    /// Returns the increase of a counter.
    func count(_ counter: KeyPath<EngineCounters, UInt64>) -> UInt64 {
        after.counters[keyPath: counter] - before.counters[keyPath: counter]
    }

    /// Returns the increase of a counter per second.
    func rate(_ counter: KeyPath<EngineCounters, UInt64>) -> Double { Double(count(counter)) / seconds }

    var seconds: Double { Double(after.wall - before.wall) / 1e9 }
    /// CPU time of the process, and of the workers' threads, as a part of one core.
    var processShare: Double { Double(after.process - before.process) / 1e9 / seconds }
    var workerShare: Double { Double(count(\.workerCPU)) / 1e9 / seconds }

    /// CPU time of the process, and of the workers' threads, for each forwarded packet.
    var processNanosecondsPerPacket: Double { processShare * seconds * 1e9 / Double(max(1, count(\.packetsForwarded))) }
    var workerNanosecondsPerPacket: Double { Double(count(\.workerCPU)) / Double(max(1, count(\.packetsForwarded))) }
    var packetsPerMessage: Double { Double(count(\.packetsForwarded)) / Double(max(1, count(\.sendMessages))) }
}
