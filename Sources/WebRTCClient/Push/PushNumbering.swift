import MediaBase

/// Sequence numbers of one pushed track. Numbers that the source lacks stay free, so that the server recognizes packets as
/// missing that the relay itself did not get, and takes a late one as a retransmission.
struct PushNumbering {
    /// Largest gap that is kept. After a larger one, one number is left out: the server needs a key frame in any case.
    private static let largestGap: Int64 = 512

    private var offset: Int64
    private var first = Int64.max
    private var latest: Int64?

    /// - Parameter first: number of the first packet.
    init(first: UInt16) { offset = Int64(first) }

    /// Returns the number of a packet; nil if it is too late.
    /// - Parameter sequence: unwrapped sequence number of the source.
    mutating func number(of sequence: Int64) -> SequenceNumber? {
        guard let latest else {
            offset = offset &- sequence
            self.latest = sequence
            first = sequence
            return SequenceNumber(UInt16(truncatingIfNeeded: sequence &+ offset))
        }
        // SRTP has no index for a packet before the first one.
        guard sequence >= first else { return nil }
        let (distance, overflow) = sequence.subtractingReportingOverflow(latest)
        if overflow || distance > Self.largestGap {
            offset = offset &+ latest &+ 2 &- sequence
            first = sequence
        } else if distance <= -Self.largestGap {
            return nil
        }
        if overflow || distance > 0 { self.latest = sequence }
        return SequenceNumber(UInt16(truncatingIfNeeded: sequence &+ offset))
    }
}
