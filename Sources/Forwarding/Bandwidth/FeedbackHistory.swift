internal import MediaBase
internal import RTP

/// Holds feedback against what was sent: each packet is acknowledged once, however often it is told of, and a packet counts as lost
/// only when later feedback has not taken it back, so that reordering is not loss.
struct FeedbackHistory {
    private static let size = Int64(SentPacketRing.capacity)

    /// Which of the last packets were told of at all, and which came; a bit each, by sequence number modulo the size.
    private var told = [UInt64](repeating: 0, count: SentPacketRing.capacity / 64)
    private var came = [UInt64](repeating: 0, count: SentPacketRing.capacity / 64)
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
    mutating func receive(
        _ feedback: TransportCC, sent: UnsafePointer<SentPacketRing>, now: MediaTime,
        untold: (_ bytes: Int, _ sent: Int64) -> Void, _ each: (Acknowledgement) -> Void
    ) {
        let next = sent.pointee.next
        guard next > 0, feedback.statusCount > 0 else { return }
        // What is told of was sent, so it lies in the last 65,536 packets.
        let latest = next - 1
        let back = UInt16(truncatingIfNeeded: latest) &- feedback.baseSequence.rawValue
        let base = latest - Int64(back)
        let first = max(base, next - Self.size, 0)
        let last = min(base + Int64(feedback.statusCount), next)
        guard first < last else { return }
        let nowMicroseconds = now.rawValue / 1_000
        let gap = end
        countable = end
        advance(to: last)
        for sequence in first..<last { told[word(sequence)] |= bit(sequence) }
        if gap > 0, gap < first {
            for sequence in max(gap, next - Self.size)..<first {
                guard let entry = sent.pointee.find(sequence), entry.bytes > 0 else { continue }
                came[word(sequence)] |= bit(sequence)
                untold(Int(entry.bytes), Self.time(of: entry, now: nowMicroseconds))
            }
        }

        let clock = referenceMicroseconds(feedback.referenceTime)
        var arrival = clock
        for packet in feedback.arrivals {
            arrival += Int64(packet.delta) * 250
            let offset = packet.sequence.rawValue &- feedback.baseSequence.rawValue
            let sequence = base + Int64(offset)
            guard offset < feedback.statusCount, sequence >= first, sequence < last,
                came[word(sequence)] & bit(sequence) == 0, let entry = sent.pointee.find(sequence), entry.bytes > 0
            else { continue }
            came[word(sequence)] |= bit(sequence)
            each(
                Acknowledgement(
                    sequence: sequence, sent: Self.time(of: entry, now: nowMicroseconds), arrival: arrival,
                    bytes: Int(entry.bytes), probe: entry.probe))
        }
    }

    /// Calls `each` with packets whose fate is known by now, once each: bytes, time of sending (microseconds modulo 2^32), lost.
    mutating func forEachDecided(
        sent: UnsafePointer<SentPacketRing>, _ each: (_ bytes: Int, _ time: UInt32, _ isLost: Bool) -> Void
    ) {
        let first = max(counted, end - Self.size)
        guard first < countable else { return }
        for sequence in first..<countable where told[word(sequence)] & bit(sequence) != 0 {
            guard let entry = sent.pointee.find(sequence), entry.bytes > 0 else { continue }
            each(Int(entry.bytes), entry.time, came[word(sequence)] & bit(sequence) == 0)
        }
        counted = countable
    }

    /// The ring keeps microseconds modulo 2^32.
    private static func time(of entry: SentPacketRing.Entry, now: Int64) -> Int64 {
        now - Int64(UInt32(truncatingIfNeeded: now) &- entry.time)
    }

    private func word(_ sequence: Int64) -> Int { Int(sequence & (Self.size - 1)) >> 6 }
    private func bit(_ sequence: Int64) -> UInt64 { 1 << UInt64(sequence & 63) }

    private mutating func advance(to newEnd: Int64) {
        guard newEnd > end else { return }
        for sequence in max(end, newEnd - Self.size)..<newEnd {
            told[word(sequence)] &= ~bit(sequence)
            came[word(sequence)] &= ~bit(sequence)
        }
        end = newEnd
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
