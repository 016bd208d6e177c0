/// Counters of a recording.
package struct RecordingStatistics: Sendable, Hashable {
    package var videoFrames: UInt64 = 0
    package var audioPackets: UInt64 = 0
    /// Number of gaps in sequence numbers.
    package var gaps: UInt64 = 0
    /// Packets that never arrived.
    package var lostPackets: UInt64 = 0
    /// Video frames dropped because of packet loss or a missing reference.
    package var droppedFrames: UInt64 = 0
    /// Packets dropped because the tap's queue was full, as the disk was slow.
    package var droppedPackets: UInt64 = 0
    /// Video frames and audio packets dropped as damaged: invalid header, no size, or a size out of range.
    package var damagedFrames: UInt64 = 0
    /// Frames dropped because their time is before that of written frames.
    package var unorderedFrames: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    /// Corrections of more than 40 ms between audio and video after the start, plus jumps of the publisher's RTP time.
    package var timeJumps: UInt64 = 0
    /// Number of times that writing failed and the recording was suspended.
    package var suspensions: UInt64 = 0
    /// Frames dropped while the recording was suspended.
    package var unwrittenFrames: UInt64 = 0
    /// Bytes written to files.
    package var bytes: Int64 = 0
    /// Duration of the open file in nanoseconds.
    package var duration: Int64 = 0
}

/// JSON form. Counters that are missing in an index of an earlier version are zero.
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
