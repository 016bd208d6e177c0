/// Counters of a programme.
package struct ProgrammeStatistics: Sendable, Equatable {
    /// Changes of the shown stream, the first one included.
    package var changes: UInt64 = 0
    package var videoFrames: UInt64 = 0
    package var audioPackets: UInt64 = 0
    /// Frames and packets that cannot be read.
    package var damaged: UInt64 = 0
    /// Audio packets of streams that were not among the loudest.
    package var withheldPackets: UInt64 = 0
    /// Audio packets that came after their time had been mixed.
    package var latePackets: UInt64 = 0

    package init() {}
}
