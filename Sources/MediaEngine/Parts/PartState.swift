/// State of a part of a session that is not the home part.
struct PartState {
    /// Home worker of the session.
    let home: Int
    /// Number of the part among those that its worker has had.
    let number: UInt64
    /// Whether the streams of the session are known.
    private(set) var isSynchronized = false
    /// Encodings of mirrored streams that the part takes, with their takers, as the home worker was told, by the numbers of their tracks.
    var needed: [UInt64: Int]? = [:]
    /// Calls that wait until the streams are known.
    private(set) var waiting: [PartCall] = []

    typealias PartCall = @Sendable (Worker, EngineError?) -> Void

    init(home: Int, number: UInt64) {
        self.home = home
        self.number = number
    }

    /// Lists a call that waits until the streams are known.
    /// - Returns: false if too many wait already.
    mutating func wait(_ call: @escaping PartCall, atMost limit: Int) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(call)
        return true
    }

    /// Records that the streams are known.
    /// - Returns: false if they were known before.
    mutating func synchronize() -> Bool {
        defer { isSynchronized = true }
        return !isSynchronized
    }

    /// Returns the call that waits longest, which then waits no longer; nil if none waits.
    mutating func takeWaiting() -> PartCall? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Posts a message about the part to its home worker.
    /// - Parameters:
    ///   - message: receives the home worker, and worker and number of the part.
    ///   - worker: index of the part's worker.
    /// - Returns: false if the home worker accepts no more.
    func post(
        _ message: @escaping @Sendable (Worker, Int, UInt64) -> Void, from worker: Int, _ totals: WorkerTotals
    ) -> Bool {
        totals.post({ [number] in message($0, worker, number) }, to: home, isUrgent: true)
    }
}
