import CCrash
import Forwarding

/// Memory of one worker's counters, at an address that crash reports can read while the worker updates them.
final class CounterBlock {
    let counters: UnsafeMutablePointer<EngineCounters>
    /// Index of the block in crash reports; -1: all blocks are in use, and reports lack these counters.
    private let number: Int32

    /// Names of the counters in their order in memory: everything before the first field that is neither a counter nor a group of counters.
    static let names: [String] = Mirror(reflecting: EngineCounters()).children
        .prefix { $0.value is UInt64 || $0.value is SendDropCounts }
        .flatMap { field in
            guard let name = field.label else { return [String]() }
            return field.value is UInt64 ? [name] : SendDropCause.allCases.map { "\(name).\($0.label)" }
        }

    init(worker: Int) {
        counters = .allocate(capacity: 1)
        counters.initialize(to: EngineCounters())
        for (index, name) in Self.names.enumerated() { millrace_crash_counter_name(index, name) }
        number = millrace_crash_counters_open(
            Int32(clamping: worker), UnsafeRawPointer(counters).assumingMemoryBound(to: UInt64.self))
    }

    deinit {
        millrace_crash_counters_close(number)
        counters.deinitialize(count: 1)
        counters.deallocate()
    }
}
