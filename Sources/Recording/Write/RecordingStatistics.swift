/// What a recording has taken and lost so far.
package struct RecordingStatistics: Sendable, Hashable, Codable {
    package var videoFrames: UInt64 = 0
    package var audioPackets: UInt64 = 0
    /// Places where packets are missing.
    package var gaps: UInt64 = 0
    /// Packets that never came.
    package var lostPackets: UInt64 = 0
    /// Pictures left out: damaged, or without what they refer to.
    package var droppedFrames: UInt64 = 0
    /// Packets that found the tap's queue full, because the disk was slow.
    package var droppedPackets: UInt64 = 0
    /// Frames whose time lay before what was already written.
    package var unorderedFrames: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    /// Corrections of more than 40 ms between sound and pictures after the start, and restarts of the publisher's clocks.
    package var timeJumps: UInt64 = 0
    /// Written to files.
    package var bytes: Int64 = 0
    /// Of media in the file that is open, nanoseconds.
    package var duration: Int64 = 0
}
