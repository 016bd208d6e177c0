package import MediaBase
package import RTP

/// Makes the transport-wide feedback of one incoming transport: notes when each packet came, and tells the sender of it at 50 to
/// 250 ms (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3). The rarer the packets, the rarer the feedback, so that
/// it takes at most 5 % of what comes in. At the start it is told sooner: a browser that learns within its first pictures what the path
/// takes does not make them small.
///
/// Arrival times are remembered for a while after they were reported: a packet that comes late moves the start of the next
/// feedback back to it, and what follows it is told again. Memory grows with the packet rate, from 256 bytes to 16 KiB.
package struct FeedbackMaker: Sendable {
    package static let shortestInterval = MediaTime.milliseconds(50)
    package static let longestInterval = MediaTime.milliseconds(250)
    /// Bits of one feedback packet with its IP, UDP and SRTCP bytes, as a rule.
    private static let feedbackBits: Int64 = 8 * 90
    /// A packet that is alone waits so long for others; and between two feedback packets as long as the rate is not known.
    private static let gathering = MediaTime.milliseconds(20)
    /// Statuses that one feedback packet is to tell of: with two bytes each and their chunks they fit 1,200 bytes.
    private static let statusesAtMost = 400
    private static let smallest = 64
    /// The rate is that of so many milliseconds, or of so many bytes where they come sooner: pictures that begin beside sound.
    private static let rateWindow: Int64 = 200
    private static let rateWindowBytes: Int64 = 4_000
    /// Packets that are remembered at most.
    package static let capacity = 2048

    /// Written into feedback as the SSRCs of its sender and of the media.
    package var sender: SSRC
    package var media: SSRC

    /// Nanoseconds of arrival by sequence number, modulo its size, which is a power of two; `.min` where nothing came.
    private var arrivals: [Int64] = []
    private var unwrapper = SequenceUnwrapper()
    /// First packet that is remembered.
    private var oldest: Int64 = 0
    /// First packet that the next feedback tells of.
    private var start: Int64 = 0
    /// One after the highest that came.
    private var end: Int64 = 0
    private var firstPending: MediaTime?
    private var lastFeedback: MediaTime?
    private var feedbackCount: UInt8 = 0
    /// Bits a second that came of late, and what came since it was updated.
    private var rate: Int64 = 0
    private var rateBytes: Int64 = 0
    private var rateSince: MediaTime?

    package init(sender: SSRC, media: SSRC) {
        self.sender = sender
        self.media = media
    }

    /// Notes a packet. Duplicates and packets from before what is remembered are ignored.
    /// - Parameters:
    ///   - sequence: transport-wide.
    ///   - bytes: length of the datagram.
    package mutating func receive(sequence: UInt16, bytes: Int, now: MediaTime) {
        noteRate(bytes: bytes, now: now)
        let number = SequenceNumber(sequence)
        guard let highest = unwrapper.highest else {
            begin(at: unwrapper.unwrap(number))
            return store(end - 1, now: now)
        }
        // Numbers far from the others are those of a sender that began anew.
        let peeked = unwrapper.peek(number)
        if peeked > highest + Int64(Self.capacity) || peeked < highest - Int64(Self.capacity) {
            unwrapper = SequenceUnwrapper(reference: (highest + 0x20000) & ~0xffff | Int64(sequence))
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

    /// When to call `take(now:)`; nil with nothing to tell.
    package var deadline: MediaTime? {
        guard let firstPending else { return nil }
        if end - start >= Int64(Self.statusesAtMost) { return firstPending }
        guard let lastFeedback else { return firstPending + Self.gathering }
        return max(lastFeedback + interval, firstPending + Self.gathering)
    }

    /// Feedback that is due; to be called until nil.
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
        // What did not fit is due at once.
        if start >= end { firstPending = nil } else { lastFeedback = now - Self.longestInterval }
        return feedback
    }

    /// Between two feedback packets.
    package var interval: MediaTime {
        guard rate > 0 else { return Self.gathering }
        let nanoseconds = Self.feedbackBits * 20 * 1_000_000_000 / rate
        return min(max(MediaTime(rawValue: nanoseconds), Self.shortestInterval), Self.longestInterval)
    }

    private func index(_ sequence: Int64) -> Int { Int(sequence) & (arrivals.count - 1) }

    private mutating func begin(at sequence: Int64) {
        arrivals = [Int64](repeating: .min, count: Self.smallest)
        // The very first may have been overtaken.
        oldest = sequence - Int64(Self.smallest / 2)
        start = sequence
        end = sequence + 1
    }

    private mutating func store(_ sequence: Int64, now: MediaTime) {
        arrivals[index(sequence)] = now.rawValue
        if firstPending == nil { firstPending = now }
    }

    /// Widens the window up to `sequence`: the memory doubles as long as something that was not told yet would be forgotten.
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
