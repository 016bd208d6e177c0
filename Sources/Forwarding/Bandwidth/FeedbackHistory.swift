import MediaBase
import RTP

/// Matches feedback with sent packets. Each packet is acknowledged once, however often feedback covers it. A packet counts as lost only if
/// the next feedback does not report it either, so that reordering is not taken for loss. The result for a packet is stored in its ring
/// entry and discarded with it.
struct FeedbackHistory {
    /// Packet after the highest one that feedback has covered.
    private(set) var end: Int64 = 0
    /// Packets before this one have been counted as lost or received.
    private var counted: Int64 = 0
    /// Packets before this one are counted next: those covered by the feedback before the latest one.
    private var countable: Int64 = 0

    /// Maximum deviation of the peer's clock from its expected value, in microseconds. Feedback that a stalled TCP connection delayed
    /// deviates by the length of the stall. A clock that deviates by more was set, or the peer sends invented values.
    static let longestJump: Int64 = 30_000_000
    /// Microseconds in one step of the reference time.
    private static let referenceStep: Int64 = 64_000

    /// Unwrapped reference time of the latest feedback, which has 24 bits in the packet.
    private var reference: Int64?
    private var lastReference: Int32 = 0
    /// Peer's clock minus relay's clock when the history began or restarted, microseconds.
    private var clockOffset: Int64 = 0
    /// Number of times that the peer's clock jumped and the history of arrivals restarted.
    private(set) var clockJumps: UInt64 = 0

    /// Handles one feedback packet.
    /// - Parameters:
    ///   - restarted: called first, if the peer's clock jumped: later arrivals cannot be compared with earlier ones.
    ///   - untold: called next, for packets that only lost feedback can have covered: length in bytes, and send time in microseconds of the
    ///     relay's clock.
    ///   - each: called for each newly acknowledged packet, in ascending order of sequence numbers.
    @inline(__always)
    mutating func receive(
        _ feedback: borrowing TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime,
        restarted: () -> Void, untold: (_ bytes: Int, _ sent: Int64) -> Void, _ each: (Acknowledgement) -> Void
    ) {
        let ring = sent.pointee
        guard ring.next > 0, feedback.statusCount > 0 else { return }
        // The packets covered were sent, so they are among the last 65,536 packets.
        let latest = ring.next - 1
        let back = UInt16(truncatingIfNeeded: latest) &- feedback.baseSequence.rawValue
        let base = latest - Int64(back)
        let first = max(base, ring.oldest)
        let last = min(base + Int64(feedback.statusCount), ring.next)
        guard first < last else { return }
        let nowMicroseconds = now.rawValue / 1_000
        let jumps = clockJumps
        var arrival = referenceMicroseconds(feedback.referenceTime, now: nowMicroseconds)
        if clockJumps != jumps { restarted() }
        let gap = end
        countable = end
        end = max(end, last)
        for sequence in first..<last { ring.pointer(of: sequence)?.pointee.setTold() }
        if gap > 0, gap < first {
            for sequence in max(gap, ring.oldest)..<first {
                guard let entry = ring.pointer(of: sequence) else { continue }
                entry.pointee.setCome()
                untold(entry.pointee.bytes, Self.time(of: entry.pointee, now: nowMicroseconds))
            }
        }

        feedback.arrivals.withUnsafeBufferPointer { arrivals in
            for packet in arrivals {
                arrival += Int64(packet.delta) * 250
                let offset = packet.sequence.rawValue &- feedback.baseSequence.rawValue
                let sequence = base + Int64(offset)
                guard offset < feedback.statusCount, let entry = ring.pointer(of: sequence), !entry.pointee.hasCome
                else {
                    continue
                }
                entry.pointee.setCome()
                each(
                    Acknowledgement(
                        sequence: sequence, sent: Self.time(of: entry.pointee, now: nowMicroseconds),
                        arrival: arrival, bytes: entry.pointee.bytes, probe: entry.pointee.probe))
            }
        }
    }

    /// Calls `each` once for each packet that is now known to be received or lost: bytes, send time in microseconds modulo 2^32, lost.
    @inline(__always)
    mutating func forEachDecided(
        sent: UnsafePointer<SentPacketRing>, _ each: (_ bytes: Int, _ time: UInt32, _ isLost: Bool) -> Void
    ) {
        let ring = sent.pointee
        let first = max(counted, ring.oldest)
        guard first < countable else { return }
        for sequence in first..<countable {
            guard let entry = ring.pointer(of: sequence), entry.pointee.isTold else { continue }
            each(entry.pointee.bytes, entry.pointee.time, !entry.pointee.hasCome)
        }
        counted = countable
    }

    /// Returns the full send time of an entry, which holds microseconds modulo 2^32.
    @inline(__always)
    private static func time(of entry: SentPacketRing.Entry, now: Int64) -> Int64 {
        now - Int64(UInt32(truncatingIfNeeded: now) &- entry.time)
    }

    /// Returns the peer's clock at the start of a feedback packet, in microseconds. The value stays within `longestJump` of the relay's
    /// clock plus a constant, so that no series of feedback packets, however extreme their steps, can make later arithmetic overflow.
    private mutating func referenceMicroseconds(_ time: Int32, now: Int64) -> Int64 {
        // The difference of two 24-bit numbers, sign-extended.
        let step = ((time &- lastReference) << 8) >> 8
        lastReference = time
        if let before = reference {
            let unwrapped = before &+ Int64(step)
            let microseconds = unwrapped &* Self.referenceStep
            if (microseconds &- now &- clockOffset).magnitude <= UInt64(Self.longestJump) {
                reference = unwrapped
                return microseconds
            }
            clockJumps &+= 1
        }
        reference = Int64(time)
        let microseconds = Int64(time) &* Self.referenceStep
        clockOffset = microseconds &- now
        return microseconds
    }
}
