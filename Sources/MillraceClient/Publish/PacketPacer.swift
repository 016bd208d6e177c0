import DequeModule
import MediaBase

/// Spreads the packets of large frames over time, so that a key frame does not overflow the queue of a narrow path. Reads no
/// clock.
struct PacketPacer: Sendable {
    struct Packet: Sendable {
        var payload: [UInt8]
        var track: Int
        var encoding: Int
        var time: MediaTime
        var marker: Bool
    }

    /// Maximum number of queued packets; on overflow the whole queue is dropped.
    static let limit = 2_000
    /// Maximum burst, as sending time that may be caught up after an idle period.
    private static let burst = MediaTime.milliseconds(5)

    private var packets: Deque<Packet> = []
    /// Earliest time of the next packet.
    private var next = MediaTime.zero
    var rate: Bitrate
    /// Number of times that the queue was dropped.
    private(set) var overflows: UInt64 = 0

    init(rate: Bitrate) { self.rate = rate }

    var waiting: Int { packets.count }

    /// - Returns: false if the queue and this packet were dropped.
    mutating func add(_ packet: Packet) -> Bool {
        guard waiting < Self.limit else {
            packets.removeAll(keepingCapacity: true)
            overflows += 1
            return false
        }
        packets.append(packet)
        return true
    }

    /// Time at which `take` returns a packet; `never` if the queue is empty.
    var deadline: MediaTime { packets.isEmpty ? .never : next }

    mutating func take(now: MediaTime) -> Packet? {
        guard next <= now, let packet = packets.popFirst() else { return nil }
        let bits = Int64(packet.payload.count + 60) * 8
        let duration = MediaTime.nanoseconds(bits * 1_000_000_000 / max(1, rate.rawValue))
        // Unused sending time is lost, except for a short burst.
        next = max(next, now - Self.burst) + duration
        return packet
    }
}
