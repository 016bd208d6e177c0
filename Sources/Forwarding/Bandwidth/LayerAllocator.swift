package import MediaBase

/// Divides a bandwidth target among the tracks of one subscriber. Audio is always sent. Then each video track gets its smallest step, in
/// order of priority; tracks that do not fit are paused. Then tracks are raised step by step, higher priorities first, tracks of equal
/// priority in turn. Tracks are lowered at once, but raised only with headroom and, after they were lowered, only after a hold time that
/// doubles with each failed attempt, so that a noisy target does not make layers flap.
///
/// Deterministic: the same calls give the same result.
package struct LayerAllocator: Sendable {
    package struct Configuration: Sendable {
        /// Fraction of the target that may be used when a track is raised.
        package var headroom = 0.87
        /// Minimum time from a step up to the next.
        package var settling = MediaTime.milliseconds(400)
        /// Minimum time from a step down to a step up. It doubles up to `longestHold` if the step down came within `regret` of a step up.
        package var hold = MediaTime.seconds(1)
        package var longestHold = MediaTime.seconds(8)
        /// Time after a step up within which a step down means that the step up was wrong.
        package var regret = MediaTime.seconds(10)
        /// A target of this many times the needed rate ends the hold at once.
        package var plenty = 2.0
        /// Grace period before a track is paused whose smallest step exceeds the target slightly; zero pauses at once.
        package var grace = MediaTime.seconds(2)
        /// Minimum fraction of the required bit rate that the path must carry for the grace period.
        package var littleMissing = 0.7

        package init() {}
    }

    private struct Memory {
        var selection: LayerSelection?
        var limits = AllocatedTrack.Limits()
        var mayRise = MediaTime.zero
        var hold = MediaTime.zero
        var lastRise: MediaTime?
        var missingSince: MediaTime?
        var isKnown = false
    }

    /// State of a video track during an allocation.
    private struct Claim {
        let track: Int
        let ladder: LayerLadder
        /// Number of steps before the allocation.
        let current: Int
        let mayRise: Bool
        var steps = 0
        var isSettled = false
    }

    private let configuration: Configuration
    private var memories: [Int: Memory] = [:]

    package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Allocates the target.
    /// - Parameters:
    ///   - tracks: all tracks that the subscriber receives at present; the state of others is discarded.
    ///   - target: rate that may be sent now.
    ///   - capacity: rate that the path carries once its queue has drained; nil means the target.
    package mutating func allocate(
        _ tracks: [AllocatedTrack], target: Bitrate, capacity: Bitrate? = nil, now: MediaTime
    ) -> LayerAllocation {
        let audio = tracks.reduce(0) { $0 + ($1.kind == .audio ? $1.bitrate : 0) }
        var claims = makeClaims(tracks, now: now)
        var share = Share(
            budget: target.rawValue - audio, capacity: max(capacity ?? target, target).rawValue - audio, used: 0)
        for index in claims.indices { begin(&claims[index], tracks, &share, now: now) }
        var first = 0
        while first < claims.count {
            let priority = tracks[claims[first].track].priority
            let end = claims[first...].firstIndex { tracks[$0.track].priority != priority } ?? claims.count
            var isRising = true
            while isRising {
                isRising = false
                for index in first..<end where !claims[index].isSettled {
                    if rise(&claims[index], &share) { isRising = true } else { claims[index].isSettled = true }
                }
            }
            first = end
        }
        return conclude(tracks, claims, used: share.used, audio: audio, now: now)
    }

    private struct Share {
        let budget: Int64
        let capacity: Int64
        var used: Int64
    }

    private func makeClaims(_ tracks: [AllocatedTrack], now: MediaTime) -> [Claim] {
        let order = tracks.indices.filter { tracks[$0].kind == .video }.sorted {
            let (a, b) = (tracks[$0], tracks[$1])
            if a.priority != b.priority { return a.priority > b.priority }
            if a.limits.height != b.limits.height { return a.limits.height > b.limits.height }
            return a.id < b.id
        }
        return order.map { index in
            let ladder = LayerLadder(tracks[index])
            let memory = memories[tracks[index].id]
            // A change that the subscriber requested takes effect without a hold time.
            let isFree = memory.map { $0.mayRise <= now || $0.limits != tracks[index].limits } ?? true
            return Claim(
                track: index, ladder: ladder, current: ladder.count(upTo: memory?.selection), mayRise: isFree)
        }
    }

    /// Gives a track its first step, which decides whether it is sent at all.
    private mutating func begin(_ claim: inout Claim, _ tracks: [AllocatedTrack], _ share: inout Share, now: MediaTime)
    {
        guard !claim.ladder.steps.isEmpty else {
            claim.isSettled = true
            return
        }
        let id = tracks[claim.track].id
        if rise(&claim, &share) {
            memories[id]?.missingSince = nil
            return
        }
        claim.isSettled = true
        guard claim.current > 0, configuration.grace > .zero else { return }
        let needed = share.used + claim.ladder.cost(1)
        let since = memories[id]?.missingSince ?? now
        memories[id]?.missingSince = since
        guard Double(share.capacity) >= configuration.littleMissing * Double(needed), now - since < configuration.grace
        else { return }
        claim.steps = 1
        share.used = needed
    }

    private func rise(_ claim: inout Claim, _ share: inout Share) -> Bool {
        guard claim.steps < claim.ladder.steps.count else { return false }
        let needed = share.used - claim.ladder.cost(claim.steps) + claim.ladder.cost(claim.steps + 1)
        if claim.steps + 1 > claim.current {
            guard Double(needed) <= configuration.headroom * Double(share.budget) else { return false }
            guard claim.mayRise || Double(needed) * configuration.plenty <= Double(share.budget) else { return false }
        } else {
            // Existing steps are kept while a queue drains, if the path's capacity suffices for them.
            guard needed <= share.capacity else { return false }
        }
        claim.steps += 1
        share.used = needed
        return true
    }

    private mutating func conclude(
        _ tracks: [AllocatedTrack], _ claims: [Claim], used: Int64, audio: Int64, now: MediaTime
    ) -> LayerAllocation {
        var allocation = LayerAllocation()
        var full: Int64 = 0
        var isFull = true
        var next = Int64.max
        var kept: [Int: Memory] = [:]
        for claim in claims.sorted(by: { $0.track < $1.track }) {
            let track = tracks[claim.track]
            var memory = memories[track.id] ?? Memory()
            let selection = claim.steps > 0 ? claim.ladder.steps[claim.steps - 1].selection : nil
            let change = note(claim, selection: selection, in: &memory, now: now)
            memory.limits = track.limits
            kept[track.id] = memory
            allocation.decisions.append(
                LayerAllocation.Decision(
                    id: track.id, selection: selection, change: change,
                    isPausedByBandwidth: selection == nil && !claim.ladder.steps.isEmpty))
            let count = claim.ladder.steps.count
            full += claim.ladder.cost(count)
            if claim.steps < count {
                isFull = false
                next = min(next, used - claim.ladder.cost(claim.steps) + claim.ladder.cost(claim.steps + 1))
            }
        }
        memories = kept
        allocation.used = Bitrate(bitsPerSecond: audio + used)
        allocation.wanted = Bitrate(bitsPerSecond: audio + (isFull ? full : withHeadroom(full)))
        if !isFull { allocation.next = Bitrate(bitsPerSecond: audio + withHeadroom(next)) }
        return allocation
    }

    private func withHeadroom(_ bitsPerSecond: Int64) -> Int64 {
        Int64(saturating: (Double(bitsPerSecond) / configuration.headroom).rounded(.up))
    }

    private func note(
        _ claim: Claim, selection: LayerSelection?, in memory: inout Memory, now: MediaTime
    ) -> LayerAllocation.Change {
        let before = memory.selection
        defer {
            memory.selection = selection
            memory.isKnown = true
        }
        if claim.steps > claim.current {
            if memory.isKnown { memory.lastRise = now }
            memory.mayRise = now + configuration.settling
            return before == nil && memory.isKnown ? .resumed : .up
        }
        if claim.steps < claim.current {
            let isRegretted = memory.lastRise.map { now - $0 < configuration.regret } ?? false
            memory.hold =
                isRegretted
                ? min(MediaTime(rawValue: memory.hold.rawValue * 2), configuration.longestHold) : configuration.hold
            memory.hold = max(memory.hold, configuration.hold)
            memory.mayRise = now + memory.hold
            return selection == nil ? .paused : .down
        }
        // The same number of steps can be another selection if encodings appeared or disappeared.
        guard before != selection else { return .none }
        return selection == nil ? .paused : .down
    }
}
