import MediaBase

/// The newest decisions for one peer. It allocates memory with the first decision.
struct DecisionLog {
    /// Hashes of the session's name (0: unknown) and of the transport's, for crash reports.
    private let session: UInt64
    private let transport: UInt64
    static let maximumCount = 256
    /// Time within which counts of one kind and stream are added to one decision.
    private static let joining = MediaTime.seconds(1)
    private static let change = 0.2

    private var decisions: [PeerDecision] = []
    private var oldest = 0
    private var estimate: Int64 = 0
    /// Number of decisions so far, which is the number of the next one.
    private var next = 0
    /// Number of the newest counted decision of each kind, and for each decision the number of the previous one of its kind; -1: none.
    private var newest: [PeerDecision.Kind: Int] = [:]
    private var before: [Int] = []

    init(session: String? = nil, transport: String = "") {
        self.session = session.map(CrashNotes.hash) ?? 0
        self.transport = CrashNotes.hash(transport)
    }

    mutating func note(_ kind: PeerDecision.Kind, stream: String? = nil, value: Int64 = 0, now: MediaTime) {
        let decision = PeerDecision(at: now, kind: kind, stream: stream, value: value)
        if decisions.count < Self.maximumCount {
            decisions.append(decision)
            before.append(-1)
        } else {
            decisions[oldest] = decision
            before[oldest] = -1
            oldest = (oldest + 1) % Self.maximumCount
        }
        next += 1
        CrashNotes.note(kind.rawValue, session: session, subject: transport, value: value)
    }

    /// Adds to the latest decision of this kind and stream, unless that is old. Losses on many streams can
    /// therefore not displace other decisions from the log.
    mutating func count(_ kind: PeerDecision.Kind, stream: String?, _ count: Int, now: MediaTime) {
        guard count > 0 else { return }
        // Follows the chain of decisions of this kind, so that the cost does not depend on the number of other decisions.
        let last = newest[kind] ?? -1
        var number = last
        while number >= next - decisions.count, number >= 0 {
            let at = number % Self.maximumCount
            guard now - decisions[at].at < Self.joining else { break }
            if decisions[at].stream == stream {
                decisions[at].value += Int64(count)
                return
            }
            number = before[at]
        }
        newest[kind] = next
        note(kind, stream: stream, value: Int64(count), now: now)
        before[(next - 1) % Self.maximumCount] = last
    }

    mutating func note(estimate bits: Int64, now: MediaTime) {
        guard Double(abs(bits - estimate)) > Double(estimate) * Self.change else { return }
        estimate = bits
        note(.estimate, value: bits, now: now)
    }

    /// Returns the decisions of the last 30 seconds, oldest first.
    func recent(now: MediaTime) -> [PeerDecision] {
        (decisions[oldest...] + decisions[..<oldest]).filter { now - $0.at <= HeaderLog.span }
    }
}
