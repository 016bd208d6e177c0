/// Resources that a relay has used since it started.
package struct RelayUsage: Sendable, Equatable {
    /// CPU time: of the worker threads of a relay in this process, of the whole process of a relay behind HTTP.
    package var cpuNanoseconds: Double
    /// Packets sent to subscribers.
    package var forwardedPackets: Double
    package var residentBytes: Double
}
