/// Subscribers of a run: those that are present, and the results of all joins.
struct Roster {
    struct Entry: Sendable {
        let join: Join
        let seat: Seat
    }

    /// Present subscribers, in the order in which they joined.
    private(set) var present: [Entry] = []
    private(set) var joins = 0
    private(set) var leaves = 0
    private(set) var failedJoins = 0
    /// Failed joins by `LoadError.kind`.
    private(set) var failuresByKind: [String: Int] = [:]
    private(set) var firstFailure: LoadError?
    /// Microseconds from the request to the relay's answer; with WebRTC until media can flow.
    private(set) var joinTime = Distribution()
    private var sampled = 0
    private var nextIndex = 0

    /// Returns a new subscriber's index, and whether to decode its media.
    mutating func begin(sample: Int) -> (index: Int, isSampled: Bool) {
        defer { nextIndex += 1 }
        guard sampled < sample else { return (nextIndex, false) }
        sampled += 1
        return (nextIndex, true)
    }

    mutating func joined(_ join: Join, _ seat: Seat, microseconds: Int64) {
        joins += 1
        joinTime.record(microseconds)
        present.append(Entry(join: join, seat: seat))
    }

    mutating func failed(_ error: LoadError, wasSampled: Bool) {
        failedJoins += 1
        failuresByKind[error.kind, default: 0] += 1
        firstFailure = firstFailure ?? error
        if wasSampled { sampled -= 1 }
    }

    /// Removes and returns the subscriber that joined first.
    mutating func leaveOldest() -> Entry? {
        guard !present.isEmpty else { return nil }
        let entry = present.removeFirst()
        leaves += 1
        if entry.join.isSampled { sampled -= 1 }
        return entry
    }

    mutating func takeAll() -> [Entry] {
        defer { present.removeAll() }
        return present
    }
}
