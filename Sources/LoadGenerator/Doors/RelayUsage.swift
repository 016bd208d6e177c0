/// What a relay has used since it began.
package struct RelayUsage: Sendable, Equatable {
    /// CPU of whatever moves packets: the worker threads of a relay in the process, all of a relay behind HTTP.
    package var cpuNanoseconds: Double
    /// Packets sent to subscribers.
    package var forwardedPackets: Double
    package var residentBytes: Double

    package init(cpuNanoseconds: Double, forwardedPackets: Double, residentBytes: Double) {
        self.cpuNanoseconds = cpuNanoseconds
        self.forwardedPackets = forwardedPackets
        self.residentBytes = residentBytes
    }
}
