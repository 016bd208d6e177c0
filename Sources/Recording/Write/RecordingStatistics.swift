/// What a recording has taken and lost so far.
package struct RecordingStatistics: Sendable, Hashable {
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
    /// Video frames and audio packets left out because they are damaged: no valid header, no size, or an absurd one.
    package var damagedFrames: UInt64 = 0
    /// Frames whose time lay before what was already written.
    package var unorderedFrames: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    /// Corrections of more than 40 ms between audio and video after the start, and jumps of the publisher's RTP time.
    package var timeJumps: UInt64 = 0
    /// Times at which writing failed and the recording was suspended.
    package var suspensions: UInt64 = 0
    /// Frames left out while the recording was suspended.
    package var unwrittenFrames: UInt64 = 0
    /// Written to files.
    package var bytes: Int64 = 0
    /// Of media in the file that is open, nanoseconds.
    package var duration: Int64 = 0
}

/// Counters as JSON. Those that an index of an earlier version lacks are zero.
extension RecordingStatistics: Codable {
    private enum CodingKeys: String, CodingKey {
        case videoFrames, audioPackets, gaps, lostPackets, droppedFrames, droppedPackets, damagedFrames, unorderedFrames
        case keyFrameRequests, timeJumps, suspensions, unwrittenFrames, bytes, duration
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> UInt64 { try values.decodeIfPresent(UInt64.self, forKey: key) ?? 0 }
        videoFrames = try count(.videoFrames)
        audioPackets = try count(.audioPackets)
        gaps = try count(.gaps)
        lostPackets = try count(.lostPackets)
        droppedFrames = try count(.droppedFrames)
        droppedPackets = try count(.droppedPackets)
        damagedFrames = try count(.damagedFrames)
        unorderedFrames = try count(.unorderedFrames)
        keyFrameRequests = try count(.keyFrameRequests)
        timeJumps = try count(.timeJumps)
        suspensions = try count(.suspensions)
        unwrittenFrames = try count(.unwrittenFrames)
        bytes = try values.decodeIfPresent(Int64.self, forKey: .bytes) ?? 0
        duration = try values.decodeIfPresent(Int64.self, forKey: .duration) ?? 0
    }
}
