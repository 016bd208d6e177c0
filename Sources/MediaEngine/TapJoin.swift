import Forwarding
import MediaBase

/// What taps see of a track: one run of packets, which goes over from one encoding to another, or to what an encoder sends that was started
/// again, without a jump in sequence numbers or timestamps; pictures do so at a key frame.
struct TapJoin {
    private var source: Producer?
    /// What comes next is not of `source` as it was.
    private var isInterrupted = false
    /// The track is muted, or was and nothing has come since.
    private var isPaused = false
    /// First packet of `source` that taps see.
    private var first: Int64 = .min
    private var sequenceOffset: Int64 = 0
    private var timestampOffset: Int64 = 0
    private var latest: (sequence: Int64, timestamp: Int64, arrival: MediaTime, isFrameEnd: Bool)?
    private let kind: MediaKind
    private let ticksPerMillisecond: Int64
    /// Largest timestamp that another encoding continues from; beyond it, taps see the new encoding's own timestamps. A publisher whose
    /// timestamps advance by 2^31 per packet passes it, and every reader of taps adds to and subtracts from timestamps.
    private static let timestampLimit: Int64 = 1 << 60

    init(_ kind: MediaKind) {
        self.kind = kind
        ticksPerMillisecond = Int64(kind.clockRate) / 1000
    }

    /// - Parameters:
    ///   - canStart: a decoder can begin with it.
    ///   - wanted: the encoding that taps are to see.
    /// - Returns: the packet as taps see it; nil where it is of another encoding.
    mutating func join(_ packet: TapPacket, canStart: Bool, of producer: Producer, wanted: Producer?) -> TapPacket? {
        if source !== producer {
            guard wanted === producer, canStart || source == nil && !isInterrupted else { return nil }
            begin(packet, of: producer)
        } else if isPaused {
            guard canStart else { return nil }
            resume(packet)
        }
        guard let joined = place(packet, of: producer) else { return nil }
        if latest.map({ joined.sequence > $0.sequence }) ?? true {
            latest = (joined.sequence, joined.timestamp, packet.arrival, kind == .audio || packet.marker)
        }
        return joined
    }

    /// A packet of before as taps would have seen it, or see it where there was none; nil where they see another encoding.
    func place(_ packet: TapPacket, of producer: Producer) -> TapPacket? {
        guard let source else { return isInterrupted ? nil : packet }
        guard source === producer, packet.sequence >= first else { return nil }
        var joined = packet
        joined.sequence += sequenceOffset
        joined.timestamp += timestampOffset
        return joined
    }

    /// A packet of before, for a new tap. The first tap of all begins with it, so that another encoding continues its numbers.
    mutating func replay(_ packet: TapPacket, of producer: Producer) -> TapPacket? {
        let isFirst = source == nil && !isInterrupted
        return isFirst || source === producer && !isPaused
            ? join(packet, canStart: true, of: producer, wanted: producer) : place(packet, of: producer)
    }

    /// A producer has ended, or goes on with numbers and timestamps of its own.
    mutating func interrupt(_ producer: Producer) {
        guard source === producer else { return }
        source = nil
        isInterrupted = true
    }

    /// The relay drops the track's packets from now on. Sequence numbers continue after that without a gap, because nothing was lost;
    /// timestamps keep the time that passes.
    mutating func pause() { isPaused = source != nil }

    private mutating func resume(_ packet: TapPacket) {
        isPaused = false
        guard let next = nextSequence else { return }
        first = packet.sequence
        sequenceOffset = next - packet.sequence
    }

    /// Leaves a gap of one number after a frame whose end did not come, or readers would take its beginning for a whole frame.
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
