package import MediaBase

/// Selects the encodings that a pipe withholds, because the path between its relays carries less than is demanded. Audio is always sent. The
/// largest encoding that is sent of one stream after the other is withheld until the rest fits:
///
/// 1. Streams with a smaller encoding that remains come first.
/// 2. Among these, the encoding with the fewest takers behind the pipe comes first, then the one with the highest rate, then the first by name.
///
/// Encodings larger than a withheld one are withheld, too, so that its takers get the next smaller one. Encodings return one at a time in
/// the opposite order, with headroom and, after one was withheld, only after a hold time that doubles with each failed attempt.
///
/// Deterministic: the same calls give the same result.
package struct PipeAllocator: Sendable {
    package struct Configuration: Sendable {
        /// Fraction of the target that may be used when an encoding returns.
        package var headroom = 0.87
        /// Factor of the capacity up to which everything is sent while the path is not full. One overestimated delay lowers the estimate to
        /// 85 % of what arrives.
        package var tolerance = 1.25
        /// Fraction of the capacity that is used while the path is full, so that its queue drains.
        package var draining = 0.8
        /// Time for which the demand may exceed the capacity of a path that is not full.
        package var patience = MediaTime.seconds(1)
        /// Minimum time from the return of an encoding to that of the next, in which the rates with it are measured.
        package var settling = MediaTime.seconds(1)
        /// Time for which a returned encoding counts as sent although it is not demanded yet.
        package var reservation = MediaTime.seconds(3)
        /// Minimum time from a withheld encoding to the return of one. It doubles up to `longestHold` if the encoding was withheld within
        /// `regret` of a return.
        package var hold = MediaTime.seconds(2)
        package var longestHold = MediaTime.seconds(16)
        package var regret = MediaTime.seconds(10)
        /// A target of this many times the needed rate ends the hold at once.
        package var plenty = 2.0

        package init() {}
    }

    /// Estimate of the path.
    package struct Path: Sendable {
        /// Rate that may be sent now.
        package var target: Bitrate
        /// Rate that the path carries once its queue has drained.
        package var capacity: Bitrate
        /// Whether the path is certainly full.
        package var isFull = false
        /// Whether a queue builds up, or packets are lost due to congestion.
        package var isCongested = false
        /// Whether a demand above the capacity takes effect at once, because a trial shows whether losses fall with the rate.
        package var isTrial = false

        package init(
            target: Bitrate, capacity: Bitrate, isFull: Bool = false, isCongested: Bool = false, isTrial: Bool = false
        ) {
            self.target = target
            self.capacity = capacity
            self.isFull = isFull
            self.isCongested = isCongested
            self.isTrial = isTrial
        }
    }

    private let configuration: Configuration
    /// Numbers of encodings that may be sent, of streams that are limited.
    private var limits: [String: Int] = [:]
    /// Encoding of a stream that has returned and may not be demanded yet.
    private var reserved: (stream: String, encoding: Int, until: MediaTime)?
    private var deficitSince: MediaTime?
    private var mayRise = MediaTime.zero
    private var hold = MediaTime.zero
    private var lastRise: MediaTime?

    package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Whether an encoding is withheld.
    package var isLimited: Bool { !limits.isEmpty }

    /// Selects the encodings that may be sent.
    /// - Parameters:
    ///   - videos: all videos of the pipe. Limits of others are forgotten.
    ///   - audio: rate of all audio that is sent.
    package mutating func allocate(_ videos: [PipedVideo], audio: Bitrate, path: Path, now: MediaTime) -> PipeAllocation
    {
        var videos = reserving(videos, now: now)
        var counts = videos.map { min(limits[$0.stream] ?? $0.encodings.count, $0.encodings.count) }
        var allocation = PipeAllocation()
        var used = zip(videos, counts).reduce(audio.rawValue) { $0 + $1.0.cost($1.1) }
        if let goal = goal(used, path, now: now) {
            fall(&videos, &counts, &used, to: goal, &allocation, now: now)
        } else if !path.isCongested {
            rise(videos, &counts, &used, path, now: now)
        }
        conclude(videos, counts, used: used, in: &allocation)
        return allocation
    }

    /// Returns the videos with a returned encoding that counts as demanded.
    private mutating func reserving(_ videos: [PipedVideo], now: MediaTime) -> [PipedVideo] {
        guard let reserved, now < reserved.until,
            let index = videos.firstIndex(where: { $0.stream == reserved.stream }),
            reserved.encoding < videos[index].encodings.count
        else {
            self.reserved = nil
            return videos
        }
        var result = videos
        result[index].encodings[reserved.encoding].isDemanded = true
        return result
    }

    /// Returns the rate to which the sum has to fall; nil: everything that may be sent fits.
    private mutating func goal(_ used: Int64, _ path: Path, now: MediaTime) -> Int64? {
        let capacity = Double(path.capacity.rawValue)
        let factor = path.isFull ? configuration.draining : 1
        let most = capacity * (path.isFull || path.isTrial ? factor : configuration.tolerance)
        guard Double(used) > most else {
            deficitSince = nil
            return nil
        }
        let since = deficitSince ?? now
        deficitSince = since
        guard path.isFull || path.isTrial || now - since >= configuration.patience else { return nil }
        return Int64(saturating: capacity * factor)
    }

    /// Withholds encodings until the rest fits.
    private mutating func fall(
        _ videos: inout [PipedVideo], _ counts: inout [Int], _ used: inout Int64, to goal: Int64,
        _ allocation: inout PipeAllocation, now: MediaTime
    ) {
        // The next one is the last.
        var candidates = videos.indices.compactMap { Candidate($0, videos[$0], counts[$0]) }.sorted(by: >)
        var isFalling = false
        while used > goal, let next = candidates.popLast() {
            isFalling = true
            let index = next.index
            used -= videos[index].cost(counts[index])
            counts[index] = next.encoding
            if next.takers > 0 {
                allocation.lowered.insert(index)
                if next.encoding > 0 {
                    videos[index].encodings[next.encoding - 1].isDemanded = true
                    videos[index].encodings[next.encoding - 1].takers += next.takers
                }
            }
            used += videos[index].cost(counts[index])
            if let other = Candidate(index, videos[index], counts[index]) {
                candidates.insert(other, at: candidates.firstIndex { $0 < other } ?? candidates.count)
            }
        }
        if isFalling { noteFall(now: now) }
    }

    /// Largest encoding that is sent of a video. The smallest candidate is withheld first.
    private struct Candidate: Comparable {
        let index: Int
        let encoding: Int
        let takers: Int
        let bitrate: Int64
        let stream: String

        init?(_ index: Int, _ video: PipedVideo, _ count: Int) {
            guard let largest = video.largestSent(count) else { return nil }
            self.index = index
            encoding = largest
            takers = video.encodings[largest].takers
            bitrate = video.encodings[largest].bitrate
            stream = video.stream
        }

        static func < (a: Candidate, b: Candidate) -> Bool {
            if (a.encoding == 0) != (b.encoding == 0) { return b.encoding == 0 }
            if a.takers != b.takers { return a.takers < b.takers }
            if a.bitrate != b.bitrate { return a.bitrate > b.bitrate }
            return a.stream < b.stream
        }
    }

    private mutating func noteFall(now: MediaTime) {
        let isRegretted = lastRise.map { now - $0 < configuration.regret } ?? false
        let before = now < mayRise || isRegretted ? hold : .zero
        let next = isRegretted ? before + before : before
        hold = min(max(next, configuration.hold), configuration.longestHold)
        lastRise = nil
        reserved = nil
        deficitSince = nil
        mayRise = now + hold
    }

    /// Lets one encoding return, if the path has room for it, and those that the publisher does not send at present.
    private mutating func rise(
        _ videos: [PipedVideo], _ counts: inout [Int], _ used: inout Int64, _ path: Path, now: MediaTime
    ) {
        let limited = videos.indices.filter { counts[$0] < videos[$0].encodings.count }.sorted { a, b in
            let (first, second) = (videos[a], videos[b])
            if (counts[a] == 0) != (counts[b] == 0) { return counts[a] == 0 }
            if first.takers != second.takers { return first.takers > second.takers }
            let rates = (first.encodings[counts[a]].bitrate, second.encodings[counts[b]].bitrate)
            return rates.0 != rates.1 ? rates.0 < rates.1 : first.stream < second.stream
        }
        let target = Double(path.target.rawValue)
        for index in limited {
            let encoding = videos[index].encodings[counts[index]]
            let needed = Double(used + encoding.bitrate)
            guard needed <= configuration.headroom * target, now >= mayRise || needed * configuration.plenty <= target
            else { continue }
            counts[index] += 1
            guard encoding.bitrate > 0 else { continue }
            used += encoding.bitrate
            reserved = (videos[index].stream, counts[index] - 1, now + configuration.reservation)
            lastRise = now
            mayRise = now + configuration.settling
            return
        }
    }

    private mutating func conclude(
        _ videos: [PipedVideo], _ counts: [Int], used: Int64, in allocation: inout PipeAllocation
    ) {
        limits = [:]
        var wanted = used
        for (video, count) in zip(videos, counts) where count < video.encodings.count {
            limits[video.stream] = count
            allocation.withheld += video.encodings.count - count
            wanted += video.encodings[count].bitrate
        }
        allocation.available = counts
        allocation.used = Bitrate(rawValue: used)
        guard isLimited else { return }
        allocation.wanted = Bitrate(saturating: (Double(wanted) / configuration.headroom).rounded(.up))
    }
}
