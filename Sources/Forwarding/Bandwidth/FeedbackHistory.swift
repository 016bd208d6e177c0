internal import MediaBase
internal import RTP

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

    /// The peer's clock wraps after 2^24 steps of 64 ms.
    private var reference: Int64?
    private var lastReference: Int32 = 0

    /// Calls `each` with every packet that is newly acknowledged, in rising order of sequence, and before it `untold` with those that
    /// feedback which was lost itself must have told of: bytes, and microseconds of the relay's clock when it was sent.
    @inline(__always)
    mutating func receive(
        _ feedback: borrowing TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime,
        untold: (_ bytes: Int, _ sent: Int64) -> Void, _ each: (Acknowledgement) -> Void
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

        var arrival = referenceMicroseconds(feedback.referenceTime)
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

    private mutating func referenceMicroseconds(_ time: Int32) -> Int64 {
        // The difference of two 24-bit numbers, as a signed one.
        let step = ((time &- lastReference) << 8) >> 8
        var unwrapped = reference.map { $0 + Int64(step) } ?? Int64(time)
        // A clock that was turned on and on, not one that runs; the arithmetic stays far from its limits.
        if unwrapped.magnitude > 1 << 40 { unwrapped = Int64(time) }
        reference = unwrapped
        lastReference = time
        return unwrapped * 64_000
    }
}
