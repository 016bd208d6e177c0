package import MediaBase
package import RTP

/// Makes the transport-wide feedback of one incoming transport: records the arrival time of each packet and reports it every 50 to 250 ms
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3). The lower the packet rate, the longer the interval, so that feedback
/// takes at most 5 % of the received rate. The first feedback is sent sooner: a browser that learns the capacity of the path within its
/// first frames does not reduce their size.
///
/// Arrival times are kept for a while after they were reported. A late packet moves the start of the next feedback back to it, and the
/// packets after it are reported again. Memory grows with the packet rate, from 256 bytes to 16 KiB.
package struct FeedbackMaker: Sendable {
    package static let shortestInterval = MediaTime.milliseconds(50)
    package static let longestInterval = MediaTime.milliseconds(250)
    /// Typical size of one feedback packet in bits, with IP, UDP and SRTCP overhead.
    private static let feedbackBits: Int64 = 8 * 90
    /// Time that feedback waits for further packets after the first one. Also the interval while the rate is unknown.
    private static let gathering = MediaTime.milliseconds(20)
    /// Maximum number of packet statuses in one feedback packet: with two bytes each and their chunks they fit into 1,200 bytes.
    private static let statusesAtMost = 400
    private static let smallest = 64
    /// Window in milliseconds for measuring the rate; it ends earlier after `rateWindowBytes`, as when video starts on a transport that had
    /// only audio.
    private static let rateWindow: Int64 = 200
    private static let rateWindowBytes: Int64 = 4_000
    /// Maximum number of packets whose arrival is kept.
    package static let capacity = 2048

    /// SSRC of the feedback's sender; `media` is the media source SSRC of the feedback.
    package var sender: SSRC
    package var media: SSRC

    /// Arrival times in nanoseconds by sequence number modulo the array's size, which is a power of two; `.min` if the packet did not
    /// arrive.
    private var arrivals: [Int64] = []
    private var unwrapper = SequenceUnwrapper()
    /// First packet whose arrival is kept.
    private var oldest: Int64 = 0
    /// First packet that the next feedback covers.
    private var start: Int64 = 0
    /// Packet after the highest one received.
    private var end: Int64 = 0
    private var firstPending: MediaTime?
    private var lastFeedback: MediaTime?
    private var feedbackCount: UInt8 = 0
    /// Recently received bits per second; `rateBytes` counts the bytes since the last update.
    private var rate: Int64 = 0
    private var rateBytes: Int64 = 0
    private var rateSince: MediaTime?

    package init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    /// Records a packet. Ignores duplicates and packets older than `oldest`.
    /// - Parameters:
    ///   - sequence: transport-wide sequence number.
    ///   - bytes: length of the datagram.
    /// - Returns: true if `deadline` may be earlier than before: with the first packet since the last feedback, when one feedback packet is
    ///   full, and when the rate has risen.
    @discardableResult
    package mutating func receive(sequence: UInt16, bytes: Int, now: MediaTime) -> Bool {
        let (wasPending, wasFull, before) = (firstPending != nil, isFull, rate)
        noteRate(bytes: bytes, now: now)
        record(SequenceNumber(sequence), now: now)
        return firstPending != nil && (!wasPending || isFull && !wasFull || interval < Self.interval(at: before))
    }

    private mutating func record(_ number: SequenceNumber, now: MediaTime) {
        guard let highest = unwrapper.highest else {
            begin(at: unwrapper.unwrap(number))
            return store(end - 1, now: now)
        }
        // Numbers far from the others mean that the sender restarted its numbering.
        let peeked = unwrapper.peek(number)
        if peeked > highest + Int64(Self.capacity) || peeked < highest - Int64(Self.capacity) {
            unwrapper = SequenceUnwrapper(reference: (highest + 0x20000) & ~0xffff | Int64(number.rawValue))
            begin(at: unwrapper.highest ?? 0)
            return store(end - 1, now: now)
        }
        let extended = unwrapper.unwrap(number)
        guard extended >= oldest else { return }
        if extended >= end {
            makeRoom(for: extended)
            for missing in end..<extended { arrivals[index(missing)] = .min }
            end = extended + 1
        } else if arrivals[index(extended)] != .min {
            return
        }
        if extended < start { start = extended }
        store(extended, now: now)
    }

    /// Whether a packet has been recorded.
    package var hasBegun: Bool { !arrivals.isEmpty }

    /// Time at which to call `take(now:)`; nil if there is nothing to report.
    package var deadline: MediaTime? {
        guard let firstPending else { return nil }
        if isFull { return firstPending }
        guard let lastFeedback else { return firstPending + Self.gathering }
        return max(lastFeedback + interval, firstPending + Self.gathering)
    }

    private var isFull: Bool { end - start >= Int64(Self.statusesAtMost) }

    /// Returns feedback that is due. Call this until it returns nil.
    package mutating func take(now: MediaTime) -> TransportCC? {
        guard let deadline, deadline <= now else { return nil }
        var packets: [(sequence: Int64, arrival: MediaTime)] = []
        packets.reserveCapacity(Int(min(end - start, Int64(Self.statusesAtMost))))
        var sequence = start
        while sequence < end, packets.count < Self.statusesAtMost {
            let arrival = arrivals[index(sequence)]
            if arrival != .min { packets.append((sequence, MediaTime(rawValue: arrival))) }
            sequence += 1
        }
        guard
            let (feedback, count) = TransportCC.make(
                sender: sender, media: media, feedbackCount: feedbackCount, packets: packets, previous: start - 1),
            count > 0
        else {
            firstPending = nil
            return nil
        }
        feedbackCount &+= 1
        start = packets[count - 1].sequence + 1
        lastFeedback = now
        // Packets that did not fit are due at once.
        if start >= end { firstPending = nil } else { lastFeedback = now - Self.longestInterval }
        return feedback
    }

    /// Interval between two feedback packets.
    package var interval: MediaTime { Self.interval(at: rate) }

    private static func interval(at rate: Int64) -> MediaTime {
        guard rate > 0 else { return gathering }
        let nanoseconds = feedbackBits * 20 * 1_000_000_000 / rate
        return min(max(MediaTime(rawValue: nanoseconds), shortestInterval), longestInterval)
    }

    private func index(_ sequence: Int64) -> Int { Int(sequence) & (arrivals.count - 1) }

    private mutating func begin(at sequence: Int64) {
        arrivals = [Int64](repeating: .min, count: Self.smallest)
        // The first packet may have been overtaken by later ones.
        oldest = sequence - Int64(Self.smallest / 2)
        start = sequence
        end = sequence + 1
    }

    private mutating func store(_ sequence: Int64, now: MediaTime) {
        arrivals[index(sequence)] = now.rawValue
        if firstPending == nil { firstPending = now }
    }

    /// Widens the window up to `sequence`. The memory doubles, up to `capacity`, if arrivals that are not reported yet would be lost
    /// otherwise.
    private mutating func makeRoom(for sequence: Int64) {
        let needed = sequence + 1 - start
        if needed > Int64(arrivals.count), arrivals.count < Self.capacity {
            var size = arrivals.count
            while Int64(size) < needed, size < Self.capacity { size *= 2 }
            var grown = [Int64](repeating: .min, count: size)
            for kept in max(oldest, end - Int64(arrivals.count))..<end {
                grown[Int(kept) & (size - 1)] = arrivals[index(kept)]
            }
            arrivals = grown
        }
        oldest = max(oldest, sequence + 1 - Int64(arrivals.count))
        start = max(start, oldest)
        // The whole window is new.
        end = max(end, oldest)
    }

    private mutating func noteRate(bytes: Int, now: MediaTime) {
        rateBytes += Int64(bytes)
        guard let since = rateSince else {
            rateSince = now
            return
        }
        let elapsed = (now - since).rawValue / 1_000_000
        guard elapsed >= Self.rateWindow || rate > 0 && rateBytes >= Self.rateWindowBytes else { return }
        let latest = rateBytes * 8_000 / max(1, elapsed)
        rate = rate == 0 || elapsed > 2_000 ? latest : (rate + latest) / 2
        rateBytes = 0
        rateSince = now
    }
}
