import MediaBase

/// Spreads the packets of large pictures over time, so that a key frame does not overflow a narrow path's queue. Reads no clock.
struct PacketPacer: Sendable {
    struct Packet: Sendable {
        var payload: [UInt8]
        var track: Int
        var place: Int
        var time: MediaTime
        var marker: Bool
    }

    /// Packets that wait at most; more and all of them are given up.
    static let limit = 2_000
    /// What may leave at once.
    private static let burst = MediaTime.milliseconds(5)

    private var packets: [Packet] = []
    private var first = 0
    /// When the next packet may leave.
    private var next = MediaTime.zero
    var rate: Bitrate
    /// Times that everything that waited was given up.
    private(set) var overflows: UInt64 = 0

    init(rate: Bitrate) { self.rate = rate }

    var waiting: Int { packets.count - first }

    /// - Returns: false where what waited was given up, and with it this packet.
    mutating func add(_ packet: Packet) -> Bool {
        guard waiting < Self.limit else {
            packets.removeAll(keepingCapacity: true)
            first = 0
            overflows += 1
            return false
        }
        packets.append(packet)
        return true
    }

    /// When `take` has something; `never` where nothing waits.
    var deadline: MediaTime { waiting == 0 ? .never : next }

    mutating func take(now: MediaTime) -> Packet? {
        guard waiting > 0, next <= now else { return nil }
        let packet = packets[first]
        first += 1
        if first == packets.count {
            packets.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 512 {
            packets.removeFirst(first)
            first = 0
        }
        let bits = Int64(packet.payload.count + 60) * 8
        let duration = MediaTime.nanoseconds(bits * 1_000_000_000 / max(1, rate.rawValue))
        // Time that was not used is lost but for a short burst.
        next = max(next, now - Self.burst) + duration
        return packet
    }
}
