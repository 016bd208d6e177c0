/// The subscribers of a run: who is there, and how their joins went.
struct Roster {
    struct Entry: Sendable {
        let index: Int
        let thread: Int
        let seat: Seat
        let isSampled: Bool
    }

    /// Longest there first.
    private(set) var present: [Entry] = []
    private(set) var joins = 0
    private(set) var leaves = 0
    private(set) var failedJoins = 0
    /// By `LoadError.kind`.
    private(set) var failuresByKind: [String: Int] = [:]
    private(set) var firstFailure: LoadError?
    /// Microseconds from asking until the relay's answer; with WebRTC until media can flow.
    private(set) var joinTime = Distribution()
    private var sampled = 0
    private var nextIndex = 0

    /// A new subscriber's number, and whether its media is to be decoded.
    mutating func begin(sample: Int) -> (index: Int, isSampled: Bool) {
        defer { nextIndex += 1 }
        guard sampled < sample else { return (nextIndex, false) }
        sampled += 1
        return (nextIndex, true)
    }

    mutating func joined(_ entry: Entry, microseconds: Int64) {
        joins += 1
        joinTime.record(microseconds)
        present.append(entry)
    }

    mutating func failed(_ error: LoadError, wasSampled: Bool) {
        failedJoins += 1
        failuresByKind[error.kind, default: 0] += 1
        firstFailure = firstFailure ?? error
        if wasSampled { sampled -= 1 }
    }

    /// Takes out whoever is there longest.
    mutating func leaveOldest() -> Entry? {
        guard !present.isEmpty else { return nil }
        let entry = present.removeFirst()
        leaves += 1
        if entry.isSampled { sampled -= 1 }
        return entry
    }

    mutating func takeAll() -> [Entry] {
        defer { present.removeAll() }
        return present
    }
}
