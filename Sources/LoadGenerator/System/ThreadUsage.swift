/// Usage that a `ThreadMeter` measured.
package struct ThreadUsage: Codable, Sendable, Equatable {
    package var name: String
    package var cpuNanoseconds: Int64 = 0
    /// Share of a core in the busiest second, 0...1.
    package var busiest = 0.0
    /// Share of a core in the last second, 0...1.
    package var latest = 0.0
    /// Share of the worst second in which the thread was ready to run but had no core, 0...1: other processes used the machine.
    package var mostWaiting = 0.0
}
