internal import MediaBase

/// The newest decisions for one peer. It has no memory before the first.
struct DecisionLog {
    static let maximumCount = 256
    /// Counts of one kind that are this close to each other are added up.
    private static let joining = MediaTime.seconds(1)
    private static let change = 0.2

    private var decisions: [PeerDecision] = []
    private var oldest = 0
    private var estimate: Int64 = 0

    mutating func note(_ kind: PeerDecision.Kind, stream: String? = nil, value: Int64 = 0, now: MediaTime) {
        let decision = PeerDecision(at: now, kind: kind, stream: stream, value: value)
        if decisions.count < Self.maximumCount {
            decisions.append(decision)
        } else {
            decisions[oldest] = decision
            oldest = (oldest + 1) % Self.maximumCount
        }
    }

    /// Adds to the last one of the same kind and stream, unless that is old: however many streams lose packets, what else was decided is not
    /// pushed out by it.
    mutating func count(_ kind: PeerDecision.Kind, stream: String, _ number: Int, now: MediaTime) {
        guard number > 0 else { return }
        for back in 0..<decisions.count {
            let at = (oldest + decisions.count - 1 - back) % decisions.count
            let last = decisions[at]
            guard now - last.at < Self.joining else { break }
            if last.kind == kind, last.stream == stream {
                decisions[at].value += Int64(number)
                return
            }
        }
        note(kind, stream: stream, value: Int64(number), now: now)
    }

    mutating func note(estimate bits: Int64, now: MediaTime) {
        guard Double(abs(bits - estimate)) > Double(estimate) * Self.change else { return }
        estimate = bits
        note(.estimate, value: bits, now: now)
    }

    /// Of the last 30 seconds, oldest first.
    func recent(now: MediaTime) -> [PeerDecision] {
        (decisions[oldest...] + decisions[..<oldest]).filter { now - $0.at <= HeaderLog.span }
    }
}
