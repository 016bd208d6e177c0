internal import Forwarding
internal import MediaBase

/// What taps see of a video track that comes in several encodings: one run of packets, which goes over from one encoding to another at a key
/// frame without a jump in sequence numbers or timestamps.
struct TapJoin {
    private var source: Producer?
    /// First packet of `source` that taps see.
    private var first: Int64 = .min
    private var sequenceOffset: Int64 = 0
    private var timestampOffset: Int64 = 0
    private var latest: (sequence: Int64, timestamp: Int64, arrival: MediaTime)?
    private static let ticksPerMillisecond: Int64 = 90

    /// - Parameter wanted: the encoding that taps are to see.
    /// - Returns: the packet as taps see it; nil where it is of another encoding.
    mutating func join(_ packet: TapPacket, startsKeyFrame: Bool, of producer: Producer, wanted: Producer?)
        -> TapPacket?
    {
        if source !== producer {
            guard wanted === producer, source == nil || startsKeyFrame else { return nil }
            begin(packet, of: producer)
        }
        guard packet.sequence >= first else { return nil }
        var joined = packet
        joined.sequence += sequenceOffset
        joined.timestamp += timestampOffset
        if latest.map({ joined.sequence > $0.sequence }) ?? true {
            latest = (joined.sequence, joined.timestamp, packet.arrival)
        }
        return joined
    }

    private mutating func begin(_ packet: TapPacket, of producer: Producer) {
        source = producer
        guard let latest else { return }
        first = packet.sequence
        sequenceOffset = latest.sequence + 1 - packet.sequence
        let elapsed = (packet.arrival - latest.arrival).rawValue / 1_000_000 * Self.ticksPerMillisecond
        timestampOffset = latest.timestamp + max(1, elapsed) - packet.timestamp
    }
}
