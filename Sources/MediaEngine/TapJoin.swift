import Forwarding
import MediaBase

/// Joins packets of a track's encodings into the one run that taps see. Sequence numbers and timestamps continue without a jump when
/// another encoding takes over or a restarted encoder begins new numbers. Video changes over at a key frame.
struct TapJoin {
    private var source: Producer?
    /// Whether the packets that follow do not continue `source`.
    private var isInterrupted = false
    /// Whether the track is muted, or was unmuted and no packet has arrived since.
    private var isPaused = false
    /// First packet of `source` that taps see.
    private var first: Int64 = .min
    private var sequenceOffset: Int64 = 0
    private var timestampOffset: Int64 = 0
    private var latest: (sequence: Int64, timestamp: Int64, arrival: MediaTime, isFrameEnd: Bool)?
    private let kind: MediaKind
    private let ticksPerMillisecond: Int64
    /// Largest timestamp from which another encoding continues; beyond it, taps see the new encoding's own timestamps. A publisher whose
    /// timestamps advance by 2^31 per packet could exceed it, and every tap reader adds to and subtracts from timestamps.
    private static let timestampLimit: Int64 = 1 << 60

    init(_ kind: MediaKind) {
        self.kind = kind
        ticksPerMillisecond = Int64(kind.clockRate) / 1000
    }

    /// Returns whether the run shows a producer now.
    func isOf(_ producer: Producer) -> Bool { source === producer }

    /// Maps a received packet to the joined run.
    /// - Parameters:
    ///   - canStart: whether a decoder can start with the packet.
    ///   - wanted: the encoding that taps should see.
    /// - Returns: the packet as taps see it; nil if it belongs to another encoding.
    mutating func join(_ packet: TapPacket, canStart: Bool, of producer: Producer, wanted: Producer?) -> TapPacket? {
        if source !== producer {
            guard wanted === producer, canStart || source == nil && !isInterrupted else { return nil }
            begin(packet, of: producer)
        } else if isPaused {
            guard canStart else { return nil }
            resume(packet)
        }
        guard let joined = mapped(packet, of: producer) else { return nil }
        if latest.map({ joined.sequence > $0.sequence }) ?? true {
            latest = (joined.sequence, joined.timestamp, packet.arrival, kind == .audio || packet.marker)
        }
        return joined
    }

    /// Returns an earlier packet as taps would have seen it, or unchanged if taps have seen none yet; nil if taps see another encoding.
    func mapped(_ packet: TapPacket, of producer: Producer) -> TapPacket? {
        guard let source else { return isInterrupted ? nil : packet }
        guard source === producer, packet.sequence >= first else { return nil }
        var joined = packet
        joined.sequence += sequenceOffset
        joined.timestamp += timestampOffset
        return joined
    }

    /// Maps a cached packet for a new tap. The run of the first tap begins with it, so that another encoding continues its numbers.
    mutating func replay(_ packet: TapPacket, of producer: Producer) -> TapPacket? {
        let isFirst = source == nil && !isInterrupted
        return isFirst || source === producer && !isPaused
            ? join(packet, canStart: true, of: producer, wanted: producer) : mapped(packet, of: producer)
    }

    /// Records that a producer ended, or continues with new sequence numbers and timestamps.
    mutating func interrupt(_ producer: Producer) {
        guard source === producer else { return }
        source = nil
        isInterrupted = true
    }

    /// Records that the relay drops the track's packets from now on. Afterwards sequence numbers continue without a gap, because no
    /// packet was lost; timestamps include the elapsed time.
    mutating func pause() { isPaused = source != nil }

    private mutating func resume(_ packet: TapPacket) {
        isPaused = false
        guard let next = nextSequence else { return }
        first = packet.sequence
        sequenceOffset = next - packet.sequence
    }

    /// Next sequence number. It skips one number if the end of the last frame is missing; readers would
    /// otherwise take the beginning of that frame for a whole frame.
    private var nextSequence: Int64? { latest.map { $0.sequence + ($0.isFrameEnd ? 1 : 2) } }

    private mutating func begin(_ packet: TapPacket, of producer: Producer) {
        source = producer
        isInterrupted = false
        isPaused = false
        guard let latest, let nextSequence else { return }
        first = packet.sequence
        sequenceOffset = nextSequence - packet.sequence
        let elapsed = (packet.arrival - latest.arrival).rawValue / 1_000_000 &* ticksPerMillisecond
        let next = latest.timestamp + max(1, elapsed)
        timestampOffset = next.magnitude <= Self.timestampLimit ? next - packet.timestamp : 0
    }
}
