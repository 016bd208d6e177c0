/// Subscribers of a run: those that are present, and the results of all joins.
struct Roster {
    typealias Entry = (join: Join, seat: Seat)

    /// Present subscribers, in the order in which they joined.
    private(set) var present: [Entry] = []
    private(set) var joins = JoinTally()
    private(set) var leaves = 0
    /// Joins that wait for an answer.
    private(set) var inProgress = 0
    private var sampled = 0
    private var nextIndex = 0

    /// Counts a join in progress, until `end`. Returns false if there are `limit` of them already.
    mutating func begin(limit: Int) -> Bool {
        guard inProgress < limit else { return false }
        inProgress += 1
        return true
    }

    mutating func end() { inProgress -= 1 }

    /// Returns a new subscriber that joins now.
    mutating func next(of plan: LoadPlan) -> Join {
        let (index, isSampled) = (nextIndex, sampled < plan.decodeSample)
        nextIndex += 1
        if isSampled { sampled += 1 }
        return Join(
            index: index, publisher: plan.publisher(ofSubscription: index), started: LoadClock.now,
            isSampled: isSampled)
    }

    mutating func joined(_ join: Join, _ seat: @escaping Seat, at now: Int64) {
        joins.joined(after: now - join.started)
        present.append((join, seat))
    }

    mutating func failed(_ join: Join, _ error: LoadError) {
        joins.failed(error)
        if join.isSampled { sampled -= 1 }
    }

    /// Removes and returns the subscriber that joined first.
    mutating func leaveOldest() -> Entry? {
        guard !present.isEmpty else { return nil }
        let entry = present.removeFirst()
        leaves += 1
        if entry.join.isSampled { sampled -= 1 }
        return entry
    }
}
