import TestMedia

/// Results of a crowd run. Times are in milliseconds.
package struct CrowdReport: Codable, Sendable {
    package var target: String
    package var sessions: Int
    package var participants: Int
    package var joined = 0
    /// Failed joins by kind.
    package var failedJoins: [String: Int] = [:]
    /// Connections that the relay ended, or that broke, before the run was over.
    package var lostConnections = 0
    package var joinTime: LoadReport.Spread?
    /// Joins a second in the joining phase.
    package var joinsPerSecond = 0.0
    /// The relay's resident memory before the first join and after the last one.
    package var relayBytesBefore: Double?
    package var relayBytesWith: Double?
    package var relayBytesPerParticipant: Double?
    /// Duration of the signalling phase.
    package var seconds = 0.0
    package var signalsSent = 0
    package var signalsDelivered = 0
    package var deliveriesPerSecond = 0.0
    package var signalsMissing = 0
    package var signalsOutOfOrder = 0
    package var signalsRefused = 0
    /// Latency from one participant's socket to another's.
    package var signalLatency: LoadReport.Spread?
    /// CPU time in percent of one core, while signals were sent.
    package var relayCPUPercent: Double?
    package var generatorCPUPercent = 0.0
    package var interrupted = false
    /// Results of moving into subsessions; nil if there were none.
    package var moves: Moves?
    /// Requirements that were not met.
    package var failures: [String] = []

    /// Results of moving into subsessions. Times are in milliseconds; with several sessions, the longest.
    package struct Moves: Codable, Sendable {
        package var participants = 0
        /// Time from the first request until all were answered, until all heard the others of their subsession, and until all were
        /// told of all moves.
        package var moved = 0.0
        package var heard = 0.0
        package var told = 0.0
        /// Time from the request to stop until all were told.
        package var stopped = 0.0
        package var packetsHeard = 0
        /// Pairs of participants in different subsessions of which one heard the other after they were separated.
        package var strays = 0
        /// Pairs of participants in the same subsession of which one did not hear the other.
        package var silent = 0
        /// Participants that were not told of all moves (`untold`), or not of the end (`left`). Not in the JSON.
        var untold = 0
        var left = 0

        private enum CodingKeys: CodingKey {
            case participants, moved, heard, told, stopped, packetsHeard, strays, silent
        }

        /// Adds the results of another session.
        mutating func add(_ other: Moves) {
            participants += other.participants
            moved = max(moved, other.moved)
            heard = max(heard, other.heard)
            told = max(told, other.told)
            stopped = max(stopped, other.stopped)
            packetsHeard += other.packetsHeard
            strays += other.strays
            silent += other.silent
            untold += other.untold
            left += other.left
        }

        var failures: [String] {
            [
                (strays, "heard a participant of another subsession"),
                (silent, "did not hear a participant of their subsession"),
                (untold, "were not told of all moves"), (left, "were not told that all are back"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        }
    }

    init(_ plan: CrowdPlan) {
        target = plan.address
        sessions = plan.sessions
        participants = plan.participants
    }

    /// - Parameter seconds: duration of the joining phase.
    mutating func take(_ joins: JoinTally, seconds: Double) {
        joined = joins.joined
        failedJoins = joins.failures
        joinTime = joins.time.spread
        joinsPerSecond = Double(joined) / max(seconds, 1e-3)
    }

    /// Takes the relay's usage before the first join, after the last one, and after the signalling phase, whose duration is known.
    mutating func take(before: RelayUsage?, full: RelayUsage?, after: RelayUsage?) {
        relayBytesBefore = before?.residentBytes
        relayBytesWith = full?.residentBytes
        if let before, let full {
            relayBytesPerParticipant = (full.residentBytes - before.residentBytes) / Double(max(1, joined))
        }
        if let full, let after, seconds > 0 {
            relayCPUPercent = (after.cpuNanoseconds - full.cpuNanoseconds) / 1e9 / seconds * 100
        }
    }

    /// - Parameter expected: deliveries if no signal is lost.
    mutating func take(_ findings: [CrowdMember.Findings], expected: Int) {
        var latency = Distribution()
        for finding in findings {
            latency.merge(finding.latency)
            signalsDelivered += finding.order.received
            signalsOutOfOrder += finding.order.disordered
            signalsRefused += finding.refusals
            if finding.loss != nil { lostConnections += 1 }
        }
        signalLatency = latency.spread
        signalsMissing = max(0, expected - signalsDelivered)
        if seconds > 0 { deliveriesPerSecond = Double(signalsDelivered) / seconds }
    }

    package var isSuccess: Bool { failures.isEmpty }

    package var table: String {
        let failed = failedJoins.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let hasSignals = signalsSent > 0
        let rows: KeyValuePairs<String, String?> = [
            "relay": target,
            "participants": "\(sessions) sessions x \(participants)",
            "joined": "\(joined), \(joinsPerSecond.short) a second" + (failed.isEmpty ? "" : "; failed: \(failed)"),
            "lost connections": lostConnections > 0 ? "\(lostConnections)" : nil,
            "join time": joinTime?.line,
            "relay memory": memory,
            "signals": hasSignals
                ? "\(signalsSent) sent, \(signalsDelivered) delivered in \(seconds.short) s: "
                    + "\(deliveriesPerSecond.short) a second" : nil,
            "of them": hasSignals
                ? "\(signalsMissing) missing, \(signalsOutOfOrder) out of order, \(signalsRefused) refused" : nil,
            "signal latency": hasSignals ? signalLatency?.line : nil,
            "subsessions": moves.map {
                "\($0.participants) moved in \($0.moved.short) ms, heard their subsessions after \($0.heard.short) ms, "
                    + "all told after \($0.told.short) ms; back in \($0.stopped.short) ms"
            },
            "of their audio": moves.map {
                "\($0.packetsHeard) packets heard, \($0.strays) strays, \($0.silent) silent"
            },
            "CPU": (relayCPUPercent.map { "relay \($0.short) %, " } ?? "")
                + "generator \(generatorCPUPercent.short) % of a core",
        ]
        return ReportTable.text(rows, warnings: interrupted ? ["ended early"] : [], failures: failures)
    }

    private var memory: String? {
        guard let relayBytesBefore, let relayBytesWith, let relayBytesPerParticipant else { return nil }
        return "\((relayBytesBefore / 1_048_576).short) MiB, then \((relayBytesWith / 1_048_576).short) MiB: "
            + "\((relayBytesPerParticipant / 1_024).short) KiB a participant"
    }
}
