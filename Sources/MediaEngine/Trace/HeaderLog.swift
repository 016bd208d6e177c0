import Forwarding
import MediaBase
import RTP

/// Headers of a track's newest packets, for user reports. There is one log for each published track and none for subscribers: their
/// packets follow from the publisher's headers and from the decisions. The owner deallocates it.
struct HeaderLog {
    /// Time that a report covers.
    static let span = MediaTime.seconds(30)

    private let notes: UnsafeMutablePointer<HeaderNote>
    private let capacity: Int
    private var count = 0
    private var next = 0

    /// - Parameter capacity: packets, at least 1. Each takes 16 bytes, which the kernel commits at first use.
    init(capacity: Int) {
        self.capacity = capacity
        notes = .allocate(capacity: capacity)
    }

    func deallocate() { notes.deallocate() }

    @inline(__always)
    mutating func note(_ header: RTPHeader, _ flags: StoredPacket.Flags, _ fate: PacketFate, now: MediaTime) {
        var kept: HeaderNote.Flags = header.marker ? .marker : []
        if flags.contains(.keyFrameStart) { kept.insert(.keyFrame) }
        if flags.contains(.late) { kept.insert(.late) }
        (notes + next).initialize(
            to: HeaderNote(
                arrival: HeaderNote.stamp(now), timestamp: header.timestamp.rawValue,
                sequence: header.sequenceNumber.rawValue, bytes: UInt16(clamping: header.payloadLength), fate: fate,
                flags: kept))
        next = next + 1 == capacity ? 0 : next + 1
        if count < capacity { count += 1 }
    }

    /// Returns the headers of the last 30 seconds, oldest first.
    /// - Parameter limit: maximum number of headers; the newest are returned.
    func recent(limit: Int, now: MediaTime) -> [HeaderNote] {
        var found: [HeaderNote] = []
        for back in stride(from: 1, through: min(count, limit), by: 1) {
            let note = notes[(next - back + capacity) % capacity]
            guard note.age(now: now) <= Self.span else { break }
            found.append(note)
        }
        return found.reversed()
    }
}
