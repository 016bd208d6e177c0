import MediaBase

/// Parts of a session on other workers than its home worker, as the home worker knows them. It copies the packets of all published streams
/// to them.
struct SessionParts {
    /// Number of workers that can have parts of one session.
    static let maximumWorkers = 64

    struct Part {
        let worker: Int
        /// Number by which the part's worker tells this part from earlier ones of the same session.
        let number: UInt64
        /// Moves of peers that the part has not accepted yet.
        var moves: [TransportID: String] = [:]
        /// Encodings of mirrored streams that the part takes, with their takers there, by the numbers of their tracks.
        var needed: [UInt64: Int] = [:]
    }

    private(set) var all: [Part] = []
    /// Parts to which packets are copied, as a bit mask of workers. A part gets no packets before it knows the streams as they are now.
    private(set) var receivers: UInt64 = 0
    /// Whether the published streams have changed since the parts were told.
    private(set) var isStale = false
    /// Time before which a part that has not accepted a message is not told again.
    private(set) var retryAt: MediaTime = .zero
    private static let retryInterval = MediaTime.milliseconds(100)
    /// Number of the session's transports on each worker; nil while there is one part.
    private(set) var transports: WorkerTotal?

    var isEmpty: Bool { all.isEmpty }

    /// Adds a part. It replaces an earlier one on the same worker.
    mutating func add(_ worker: Int, number: UInt64, workers: Int) -> WorkerTotal {
        remove(worker, number: nil)
        all.append(Part(worker: worker, number: number))
        isStale = true
        let total = transports ?? WorkerTotal(workers: workers)
        transports = total
        return total
    }

    /// Removes the part of a worker.
    /// - Parameter number: number of the part that has ended; nil: any.
    mutating func remove(_ worker: Int, number: UInt64?) {
        guard let at = all.firstIndex(where: { $0.worker == worker && (number == nil || $0.number == number) }) else {
            return
        }
        all.remove(at: at)
        receivers &= ~(1 << UInt64(worker))
        transports?.set(0, of: worker)
    }

    /// Notes that the published streams have changed.
    mutating func change() { if !all.isEmpty { isStale = true } }

    /// Notes which encodings of mirrored streams a part takes. A message of an earlier part is ignored.
    mutating func note(needed tracks: [UInt64: Int], by worker: Int, number: UInt64) {
        guard let at = all.firstIndex(where: { $0.worker == worker && $0.number == number }) else { return }
        all[at].needed = tracks
    }

    /// Returns whether a part takes an encoding.
    func need(_ track: UInt64) -> Bool { all.contains { $0.needed[track] != nil } }

    /// Returns the number of an encoding's takers in all parts.
    func takers(of track: UInt64) -> Int { all.reduce(0) { $0 + ($1.needed[track] ?? 0) } }

    /// Notes moves of peers, for the parts that have them.
    mutating func note(_ peers: [PeerMove]) {
        for i in all.indices {
            for move in peers where move.peer.worker == all[i].worker {
                all[i].moves[move.peer] = move.subsession
                isStale = true
            }
        }
    }

    /// Sends the newest description of the streams, and moves of peers, to all parts.
    mutating func send(
        _ replica: SessionReplica, of session: String, through links: inout WorkerLinks, now: MediaTime
    ) {
        var accepted: Set<Int> = []
        for (i, part) in all.enumerated() {
            let number = part.number
            let moves = part.moves.map { PeerMove(peer: $0.key, subsession: $0.value) }
            let isAccepted = links.send(to: part.worker) { worker, link, message in
                worker.apply(replica, moves, of: session, part: number, from: link, message: message)
            }
            if isAccepted { accepted.insert(i) }
        }
        sent(accepted: accepted, now: now)
    }

    /// Calls back when all parts have applied what they were told so far.
    /// - Parameters:
    ///   - refusal: error of a part that accepts no message.
    ///   - finish: receives the error of a part; nil if there was none.
    func whenApplied(
        _ totals: WorkerTotals, refusal: EngineError, _ finish: @escaping @Sendable (EngineError?) -> Void
    ) {
        guard !all.isEmpty else { return finish(nil) }
        let countdown = PartsCountdown(all.count, finish)
        for part in all {
            let isKnown = receivers & 1 << UInt64(part.worker) != 0
            // Mailboxes keep the order: the part has applied the changes when it runs this.
            if !isKnown || !totals.post({ _ in countdown.arrive() }, to: part.worker, isUrgent: true) {
                countdown.arrive(refusal)
            }
        }
    }

    /// Records which parts have accepted the newest description.
    /// - Parameter accepted: indices in `all`.
    mutating func sent(accepted: Set<Int>, now: MediaTime) {
        isStale = accepted.count < all.count
        retryAt = isStale ? now + Self.retryInterval : .zero
        for i in all.indices {
            let bit: UInt64 = 1 << UInt64(all[i].worker)
            if accepted.contains(i) {
                all[i].moves = [:]
                receivers |= bit
            } else {
                receivers &= ~bit
            }
        }
    }
}
