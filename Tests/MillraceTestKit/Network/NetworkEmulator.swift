package import MediaBase

/// Model of one direction of a path in virtual time: returns for each datagram when it arrives, if at all. A pure function of its seed and
/// of the datagrams.
///
/// The order is: too large, lost, then the bottleneck and its queue, then delay and jitter, held back, duplicated. A lost datagram uses no
/// capacity of the bottleneck, as if it was lost before.
package struct NetworkEmulator: Sendable {
    /// Arrival times of the copies of one datagram.
    package struct Arrivals: Hashable, Sendable {
        package var first: MediaTime?
        package var duplicate: MediaTime?
    }

    package private(set) var conditions: LinkConditions
    package private(set) var statistics = LinkStatistics()
    private var random: SeededGenerator
    private var isBad = false
    /// Time when the bottleneck has sent everything.
    private var busyUntil: MediaTime = .zero
    private var lastArrival: MediaTime = .zero

    package init(_ conditions: LinkConditions = LinkConditions(), seed: UInt64) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    /// Changes the conditions from now on. Datagrams in flight keep their arrival times; queued bytes delay others at the new rate.
    package mutating func change(to conditions: LinkConditions, now: MediaTime) {
        let waiting = backlog(now: now)
        self.conditions = conditions
        busyUntil = now + transmission(bytes: waiting)
    }

    /// Returns the bytes that are queued at the bottleneck or being sent by it.
    package func backlog(now: MediaTime) -> Int {
        guard let rate = conditions.rate, busyUntil > now else { return 0 }
        let span = Double((busyUntil - now).rawValue)
        return Int((span * Double(rate.rawValue) / 8e9).rounded())
    }

    /// Sends a datagram of `bytes` now; time never goes back from call to call.
    package mutating func send(bytes: Int, now: MediaTime) -> Arrivals {
        statistics.sent += 1
        statistics.sentBytes += bytes
        guard bytes <= conditions.largestDatagram else {
            statistics.oversized += 1
            return Arrivals()
        }
        guard !loses() else {
            statistics.lost += 1
            return Arrivals()
        }
        var departure = now
        if conditions.rate != nil {
            guard backlog(now: now) + bytes <= conditions.queue else {
                statistics.overflowed += 1
                return Arrivals()
            }
            departure = max(now, busyUntil) + transmission(bytes: bytes)
            busyUntil = departure
        }
        var arrivals = Arrivals(first: arrival(of: departure))
        if chance(conditions.duplication) {
            statistics.duplicated += 1
            arrivals.duplicate = arrival(of: departure)
        }
        let copies = arrivals.duplicate == nil ? 1 : 2
        statistics.delivered += copies
        statistics.deliveredBytes += copies * bytes
        return arrivals
    }

    private func transmission(bytes: Int) -> MediaTime {
        guard let rate = conditions.rate else { return .zero }
        return MediaTime(rawValue: Int64((Double(bytes) * 8e9 / Double(max(1, rate.rawValue))).rounded()))
    }

    private mutating func arrival(of departure: MediaTime) -> MediaTime {
        var arrival = departure + conditions.delay + jitter()
        if chance(conditions.reordering) {
            statistics.heldBack += 1
            return arrival + conditions.reorderingDelay
        }
        if !conditions.jitterReorders { arrival = max(arrival, lastArrival) }
        lastArrival = max(arrival, lastArrival)
        return arrival
    }

    private mutating func jitter() -> MediaTime {
        switch conditions.jitter {
        case .none: return .zero
        case .uniform(let most): return MediaTime(rawValue: Int64(Double(most.rawValue) * fraction()))
        case .bell(let deviation):
            // Four numbers of 16 bits: mean 2, variance 4/12.
            let bits = random.next()
            let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + bits >> 48
            let deviations = (Double(sum) / 65_536 - 2) * 1.732_050_807_568_877_2
            return max(MediaTime(rawValue: Int64(Double(deviation.rawValue) * deviations)), .zero - conditions.delay)
        }
    }

    private mutating func loses() -> Bool {
        switch conditions.loss {
        case .none: return false
        case .uniform(let share): return chance(share)
        case .bursts(let chain):
            let isLost = chance(isBad ? chain.lossInBad : chain.lossInGood)
            if chance(isBad ? chain.toGood : chain.toBad) { isBad.toggle() }
            return isLost
        }
    }

    /// 0..<1.
    private mutating func fraction() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }

    /// Uses no random number if the result is certain, so that a disabled impairment changes nothing.
    private mutating func chance(_ share: Double) -> Bool { share > 0 && (share >= 1 || fraction() < share) }
}
