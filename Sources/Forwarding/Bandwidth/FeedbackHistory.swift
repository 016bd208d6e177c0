import MediaBase
import RTP

/// Holds feedback against what was sent: each packet is acknowledged once, however often it is told of, and a packet counts as lost
/// only when later feedback has not taken it back, so that reordering is not loss. What was said of a packet stands in its entry of the
/// ring, which forgets it together with the packet.
struct FeedbackHistory {
    /// One after the highest packet that was told of.
    private(set) var end: Int64 = 0
    /// Packets before this one were counted as lost or not.
    private var counted: Int64 = 0
    /// What is counted next time: what the last feedback told of.
    private var countable: Int64 = 0

    /// Longest distance of the peer's clock from where the relay's clock expects it, microseconds. Feedback that a stalled TCP connection
    /// held back is off by the length of the stall; a clock that is off by more was set, or the peer invents its numbers.
    static let longestJump: Int64 = 30_000_000
    /// Microseconds in one step of the reference time.
    private static let referenceStep: Int64 = 64_000

    /// Reference time of the latest feedback, unwrapped: the wire has 24 bits of it.
    private var reference: Int64?
    private var lastReference: Int32 = 0
    /// Peer's clock minus relay's clock when the history began or restarted, microseconds.
    private var clockOffset: Int64 = 0
    /// Times that the peer's clock jumped and the history of its arrivals restarted.
    private(set) var clockJumps: UInt64 = 0

    /// Calls `each` with every packet that is newly acknowledged, in rising order of sequence, and before it `untold` with those that
    /// feedback which was lost itself must have told of: bytes, and microseconds of the relay's clock when it was sent. Calls `restarted`
    /// before both if the peer's clock jumped: arrivals from here on cannot be compared with earlier ones.
    @inline(__always)
    mutating func receive(
        _ feedback: borrowing TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime,
        restarted: () -> Void, untold: (_ bytes: Int, _ sent: Int64) -> Void, _ each: (Acknowledgement) -> Void
    ) {
        let ring = sent.pointee
        guard ring.next > 0, feedback.statusCount > 0 else { return }
        // What is told of was sent, so it lies in the last 65,536 packets.
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
        for sequence in first..<last { ring.place(of: sequence)?.pointee.setTold() }
        if gap > 0, gap < first {
            for sequence in max(gap, ring.oldest)..<first {
                guard let entry = ring.place(of: sequence) else { continue }
                entry.pointee.setCome()
                untold(entry.pointee.bytes, Self.time(of: entry.pointee, now: nowMicroseconds))
            }
        }

        feedback.arrivals.withUnsafeBufferPointer { arrivals in
            for packet in arrivals {
                arrival += Int64(packet.delta) * 250
                let offset = packet.sequence.rawValue &- feedback.baseSequence.rawValue
                let sequence = base + Int64(offset)
                guard offset < feedback.statusCount, let entry = ring.place(of: sequence), !entry.pointee.hasCome else {
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

    /// Calls `each` with packets whose fate is known by now, once each: bytes, time of sending (microseconds modulo 2^32), lost.
    @inline(__always)
    mutating func forEachDecided(
        sent: UnsafePointer<SentPacketRing>, _ each: (_ bytes: Int, _ time: UInt32, _ isLost: Bool) -> Void
    ) {
        let ring = sent.pointee
        let first = max(counted, ring.oldest)
        guard first < countable else { return }
        for sequence in first..<countable {
            guard let entry = ring.place(of: sequence), entry.pointee.isTold else { continue }
            each(entry.pointee.bytes, entry.pointee.time, !entry.pointee.hasCome)
        }
        counted = countable
    }

    /// The ring keeps microseconds modulo 2^32.
    @inline(__always)
    private static func time(of entry: SentPacketRing.Entry, now: Int64) -> Int64 {
        now - Int64(UInt32(truncatingIfNeeded: now) &- entry.time)
    }

    /// The peer's clock at the start of a feedback packet, microseconds. It stays within `longestJump` of the relay's clock plus a constant,
    /// so no series of feedback packets, however extreme their steps, moves it far enough for later arithmetic to overflow.
    private mutating func referenceMicroseconds(_ time: Int32, now: Int64) -> Int64 {
        // The difference of two 24-bit numbers, as a signed one.
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
