import MediaBase

/// Converts irregular audio packets (late, reordered, duplicated or lost) to an even stream. Reads no clock and decodes nothing: it
/// only decides what to play and what to conceal, and when.
///
/// Usage: `insert` packets as they arrive, call `handleTimeout` at `deadline`, then take `nextOutput()` until it returns nil. The
/// playout delay follows the observed jitter: to increase it, the buffer inserts concealed audio; to decrease it, it skips a packet.
struct JitterBuffer: Sendable {
    struct Packet: Sendable, Equatable {
        /// Unwrapped sequence number.
        var sequence: Int64
        /// Unwrapped timestamp in samples at 48 kHz.
        var timestamp: Int64
        /// Samples per channel.
        var duration: Int
        /// Whether the packet is nearly silent; such packets are preferred for skipping.
        var isSilence = false
        var payload: [UInt8]
    }

    enum Output: Sendable, Equatable {
        case packet(Packet)
        /// Missing samples; the packet that follows may contain a copy of the last of them (FEC).
        case lost(samples: Int, timestamp: Int64, following: Packet?)
        /// Silence that the sender did not transmit (DTX).
        case silence(samples: Int, timestamp: Int64)
        /// Additional audio that increases the playout delay, without advancing the timestamp.
        case stretch(samples: Int, timestamp: Int64)
    }

    struct Configuration: Hashable, Sendable {
        var delay = DelayEstimate.Configuration()
        /// Maximum number of queued packets; on overflow the oldest one is dropped.
        var packetLimit = 256
        /// Maximum duration of audio generated while no packet arrives; after it the playout pauses.
        var longestStretch = MediaTime.milliseconds(120)
        /// Difference between present and target delay below which the delay is not corrected.
        var tolerance = MediaTime.milliseconds(15)
        /// Minimum time between two corrections of the delay.
        var correctionInterval = MediaTime.milliseconds(300)

        init() {}
    }

    struct Statistics: Hashable, Sendable {
        var received: UInt64 = 0
        /// Packets that arrived after packets sent later.
        var reordered: UInt64 = 0
        /// Packets that arrived after their playout time, or twice.
        var late: UInt64 = 0
        /// Lost packets that were concealed.
        var lost: UInt64 = 0
        /// Insertions that increased the delay or bridged missing packets.
        var stretched: UInt64 = 0
        /// Packets skipped to decrease the delay.
        var skipped: UInt64 = 0
        /// Pauses because no packets arrived.
        var pauses: UInt64 = 0
        var discarded: UInt64 = 0
    }

    static let rate: Int64 = 48_000
    /// Difference of timestamps from which the stream counts as restarted, in samples.
    private static let reset: Int64 = 5 * rate

    private let configuration: Configuration
    private var estimate: DelayEstimate
    private var packets: [Packet] = []
    private var outputs: [Output] = []
    private var taken = 0
    /// Timestamp of the next audio to play; nil before the first packet.
    private var cursor: Int64?
    private var nextSequence: Int64 = 0
    private var turn = MediaTime.never
    private var lastDuration = 960
    private var stretched = MediaTime.zero
    private var lastCorrection = MediaTime.zero
    private var highest: Int64 = .min
    private(set) var statistics = Statistics()

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        estimate = DelayEstimate(configuration.delay)
    }

    /// Target of the playout delay.
    var targetDelay: MediaTime { estimate.target }
    var jitter: MediaTime { estimate.jitter }
    /// Duration of the queued audio.
    var waiting: MediaTime {
        packets.reduce(.zero) { $0 + Self.time($1.duration) }
    }

    mutating func insert(_ packet: Packet, now: MediaTime) {
        guard packet.duration > 0, packet.timestamp.magnitude < 1 << 60 else {
            statistics.discarded += 1
            return
        }
        statistics.received += 1
        if let cursor, abs(packet.timestamp - cursor) > Self.reset { begin() }
        if packet.sequence < highest { statistics.reordered += 1 }
        highest = max(highest, packet.sequence)
        estimate.add(arrival: now, mediaTime: Self.time(packet.timestamp))
        guard cursor == nil || packet.sequence >= nextSequence,
            !packets.contains(where: { $0.sequence == packet.sequence })
        else {
            statistics.late += 1
            return
        }
        let index = packets.lastIndex { $0.sequence < packet.sequence }.map { $0 + 1 } ?? 0
        packets.insert(packet, at: index)
        if packets.count > configuration.packetLimit {
            statistics.discarded += 1
            packets.removeFirst()
        }
        if turn == .never { resume(now: now) }
    }

    /// Time of the next call of `handleTimeout`.
    var deadline: MediaTime { turn }

    mutating func handleTimeout(now: MediaTime) {
        // After a stall of more than one second the missed time is skipped, instead of being played at once.
        if turn != .never, now - turn > .seconds(1) { turn = now }
        while turn <= now { step(now: now) }
    }

    mutating func nextOutput() -> Output? {
        guard taken < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        defer { taken += 1 }
        return outputs[taken]
    }

    /// Schedules the playout of the first packet, or of the first one after a pause.
    private mutating func resume(now: MediaTime) {
        guard let first = packets.first else { return }
        // The time of the pause has already passed, so nothing is concealed for it.
        if cursor.map({ $0 < first.timestamp }) ?? true {
            cursor = first.timestamp
            nextSequence = first.sequence
        }
        stretched = .zero
        let due = MediaTime.nanoseconds(estimate.base) + Self.time(first.timestamp) + estimate.target
        turn = max(now, due)
    }

    private mutating func begin() {
        packets.removeAll()
        estimate.reset()
        cursor = nil
        turn = .never
        highest = .min
    }

    private mutating func step(now: MediaTime) {
        guard let cursor else {
            turn = .never
            return
        }
        guard let first = packets.first else { return starve(cursor) }
        // Playout delay of the audio if it is played now, to be compared with the target.
        let delay = turn - .nanoseconds(estimate.base) - Self.time(cursor)
        let mayCorrect = turn - lastCorrection >= configuration.correctionInterval
        if mayCorrect, delay + configuration.tolerance < estimate.target {
            lastCorrection = turn
            statistics.stretched += 1
            return play(.stretch(samples: lastDuration, timestamp: cursor), samples: lastDuration, moves: false)
        }
        if first.sequence > nextSequence {
            // The missing packet's own playout time is reached; until now it could still have arrived.
            return conceal(cursor, until: first)
        }
        let spare = delay - estimate.target - configuration.tolerance
        if mayCorrect, spare > Self.time(first.duration), packets.count > 1,
            first.isSilence || spare > Self.time(2 * first.duration)
        {
            lastCorrection = turn
            statistics.skipped += 1
            take(first)
            return
        }
        let gap = first.timestamp - cursor
        if gap > 0 {
            // Consecutive sequence numbers with a timestamp gap: the sender transmitted nothing in between (RFC 7587 section 3.1.3).
            let samples = Int(min(gap, Int64(lastDuration)))
            return play(.silence(samples: samples, timestamp: cursor), samples: samples)
        }
        take(first)
        stretched = .zero
        lastDuration = first.duration
        outputs.append(.packet(first))
        turn += Self.time(first.duration)
    }

    private mutating func take(_ packet: Packet) {
        packets.removeFirst()
        nextSequence = packet.sequence + 1
        cursor = packet.timestamp + Int64(packet.duration)
    }

    private mutating func conceal(_ cursor: Int64, until next: Packet) {
        let missing = next.sequence - nextSequence
        let gap = next.timestamp - cursor
        // A gap in sequence numbers without one in timestamps: padding packets, or a sender that counts differently.
        guard gap > 0 else {
            nextSequence = next.sequence
            return
        }
        let each = max(120, Int(gap / missing) / 120 * 120)
        let samples = min(each, 5_760, Int(gap))
        statistics.lost += 1
        nextSequence += 1
        let isLast = missing == 1
        play(.lost(samples: samples, timestamp: cursor, following: isLast ? next : nil), samples: samples)
    }

    /// Bridges missing packets with concealed audio for a short time, then pauses until a packet arrives.
    private mutating func starve(_ cursor: Int64) {
        guard stretched < configuration.longestStretch else {
            statistics.pauses += 1
            turn = .never
            return
        }
        stretched += Self.time(lastDuration)
        statistics.stretched += 1
        play(.stretch(samples: lastDuration, timestamp: cursor), samples: lastDuration, moves: false)
    }

    private mutating func play(_ output: Output, samples: Int, moves: Bool = true) {
        outputs.append(output)
        if moves, let cursor { self.cursor = cursor + Int64(samples) }
        turn += Self.time(samples)
    }

    private static func time(_ samples: Int) -> MediaTime { time(Int64(samples)) }
    private static func time(_ samples: Int64) -> MediaTime {
        let (seconds, rest) = samples.quotientAndRemainder(dividingBy: rate)
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / rate)
    }
}
