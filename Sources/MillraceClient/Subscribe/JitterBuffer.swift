import MediaBase

/// Puts sound packets that came irregularly, out of order, twice or never into an even stream. Reads no clock and decodes nothing: it
/// says what is to be played when, and what is to be made up for.
///
/// `insert` packets as they come, `handleTimeout` at `deadline`, then take `nextOutput()` until it is nil. The delay follows the
/// observed jitter: where it is to grow, a little sound is made up in between; where it is to shrink, a packet is left out.
struct JitterBuffer: Sendable {
    struct Packet: Sendable, Equatable {
        /// Unwrapped.
        var sequence: Int64
        /// Unwrapped, samples at 48 kHz.
        var timestamp: Int64
        /// Samples a channel.
        var duration: Int
        /// Next to nothing is heard of it: the first choice where one is to be left out.
        var isSilence = false
        var payload: [UInt8]
    }

    enum Output: Sendable, Equatable {
        case packet(Packet)
        /// So many samples are missing; the packet behind them may hold a copy of the last of them.
        case lost(samples: Int, timestamp: Int64, following: Packet?)
        /// The sender sent nothing because there was nothing to hear.
        case silence(samples: Int, timestamp: Int64)
        /// The sound goes on without having moved on: the delay grew.
        case stretch(samples: Int, timestamp: Int64)
    }

    struct Configuration: Hashable, Sendable {
        var delay = DelayEstimate.Configuration()
        /// Packets that are held at most; then the oldest is played early.
        var packetLimit = 256
        /// Sound that is made up at a stretch; after it there is a pause.
        var longestStretch = MediaTime.milliseconds(120)
        /// The delay is left alone while it differs by less.
        var tolerance = MediaTime.milliseconds(15)
        /// Between two corrections of the delay.
        var correctionInterval = MediaTime.milliseconds(300)

        init() {}
    }

    struct Statistics: Hashable, Sendable {
        var received: UInt64 = 0
        /// Came after others that were sent later.
        var reordered: UInt64 = 0
        /// Came after their turn, or twice.
        var late: UInt64 = 0
        /// Packets that were made up for.
        var lost: UInt64 = 0
        /// Made up to wait longer, and left out to wait less.
        var stretched: UInt64 = 0
        var skipped: UInt64 = 0
        /// Pauses because nothing came.
        var pauses: UInt64 = 0
        var discarded: UInt64 = 0
    }

    static let rate: Int64 = 48_000
    /// A timestamp that is this far from its place is of a stream that began anew.
    private static let reset: Int64 = 5 * rate

    private let configuration: Configuration
    private var estimate: DelayEstimate
    private var packets: [Packet] = []
    private var outputs: [Output] = []
    private var taken = 0
    /// What is to be played next, and when.
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

    /// What the delay is to be.
    var targetDelay: MediaTime { estimate.target }
    var jitter: MediaTime { estimate.jitter }
    /// Sound that waits.
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
        let place = packets.lastIndex { $0.sequence < packet.sequence }.map { $0 + 1 } ?? 0
        packets.insert(packet, at: place)
        if packets.count > configuration.packetLimit {
            statistics.discarded += 1
            packets.removeFirst()
        }
        if turn == .never { resume(now: now) }
    }

    /// When `handleTimeout` is to be called next.
    var deadline: MediaTime { turn }

    mutating func handleTimeout(now: MediaTime) {
        // A thread that was away for long has not to make up for all of it.
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

    /// The first packet, or the first one after a pause.
    private mutating func resume(now: MediaTime) {
        guard let first = packets.first else { return }
        // The time of a pause has passed already: nothing is made up for it.
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
        // Delay that the sound has if it is played now, against what it is to have.
        let delay = turn - .nanoseconds(estimate.base) - Self.time(cursor)
        let mayCorrect = turn - lastCorrection >= configuration.correctionInterval
        if mayCorrect, delay + configuration.tolerance < estimate.target {
            lastCorrection = turn
            statistics.stretched += 1
            return play(.stretch(samples: lastDuration, timestamp: cursor), samples: lastDuration, moves: false)
        }
        if first.sequence > nextSequence {
            // What is missing may still come while those behind it are not due either; its own turn is now.
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
            // Numbers without a gap, times with one: nothing was sent in between (RFC 7587 section 3.1.3).
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
        // A gap in numbers that is none in time: padding, or a sender that counts otherwise.
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

    /// Nothing is there: the sound goes on for a little, then stops until something comes.
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
