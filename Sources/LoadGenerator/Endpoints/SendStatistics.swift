/// Packets that one publisher sent, or several added up.
struct SendStatistics: Sendable {
    var packets: UInt64 = 0
    /// UDP payload bytes.
    var bytes: UInt64 = 0
    /// Packets that the generator dropped on purpose instead of sending them.
    var droppedOnPurpose: UInt64 = 0
    /// Retransmissions that the relay requested.
    var resent: UInt64 = 0
    var keyFrameRequests: UInt64 = 0
    /// Packets that the kernel refused.
    var refused: UInt64 = 0
    /// Frames and audio packets that were due.
    var due: UInt64 = 0
    /// Frames and audio packets sent more than 5 ms after they were due.
    var late: UInt64 = 0
    /// Longest delay of a frame or audio packet after it was due, in nanoseconds.
    var worstLateness: Int64 = 0
    /// Frames and audio packets that were never sent because the sender was too slow.
    var missed: UInt64 = 0

    /// Counts a frame or audio packet, its nanoseconds after it was due, and the earlier ones that were not sent.
    mutating func account(late nanoseconds: Int64, missed count: Int64) {
        due += 1
        missed += UInt64(max(0, count))
        worstLateness = max(worstLateness, nanoseconds)
        if nanoseconds > 5_000_000 { late += 1 }
    }

    mutating func add(_ other: SendStatistics) {
        packets += other.packets
        bytes += other.bytes
        droppedOnPurpose += other.droppedOnPurpose
        resent += other.resent
        keyFrameRequests += other.keyFrameRequests
        refused += other.refused
        due += other.due
        late += other.late
        worstLateness = max(worstLateness, other.worstLateness)
        missed += other.missed
    }
}
