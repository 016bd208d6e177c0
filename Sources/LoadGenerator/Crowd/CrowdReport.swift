import Foundation

/// Results of a crowd run. Times are in milliseconds.
package struct CrowdReport: Codable, Sendable {
    package var target: String
    package var sessions: Int
    package var participants: Int
    package var joined: Int
    /// Failed joins by kind.
    package var failedJoins: [String: Int]
    /// Connections that the relay ended, or that broke, before the run was over.
    package var lostConnections: Int
    package var joinTime: LoadReport.Spread?
    /// Joins a second in the joining phase.
    package var joinsPerSecond: Double
    /// The relay's resident memory before the first join and after the last one.
    package var relayBytesBefore: Double?
    package var relayBytesWith: Double?
    package var relayBytesPerParticipant: Double?
    /// Duration of the signalling phase.
    package var seconds: Double
    package var signalsSent: Int
    package var signalsDelivered: Int
    package var deliveriesPerSecond: Double
    package var signalsMissing: Int
    package var signalsOutOfOrder: Int
    package var signalsRefused: Int
    /// Latency from one participant's socket to another's.
    package var signalLatency: LoadReport.Spread?
    /// CPU time in percent of one core, while signals were sent.
    package var relayCPUPercent: Double?
    package var generatorCPUPercent: Double
    package var interrupted: Bool
    /// Results of moving into subsessions; nil if there were none.
    package var rooms: Rooms?
    /// Requirements that were not met.
    package var failures: [String]

    /// Results of moving into subsessions. Times are in milliseconds; with several sessions, the longest.
    package struct Rooms: Codable, Sendable {
        package var participants: Int
        /// Time from the first request until all were answered, until all heard the others of their subsession, and until all were
        /// told of all moves.
        package var moved: Double
        package var heard: Double
        package var told: Double
        /// Time from the request to stop until all were told.
        package var stopped: Double
        package var sounds: Int
        package var strays: Int
        package var silent: Int
    }

    mutating func take(_ found: RoomFindings) {
        func milliseconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000 }
        rooms = Rooms(
            participants: found.guests, moved: milliseconds(found.moved), heard: milliseconds(found.heard),
            told: milliseconds(found.told), stopped: milliseconds(found.stopped), sounds: found.sounds,
            strays: found.strays, silent: found.silent)
        failures += found.failures
        if found.strays > 0 { failures.append("\(found.strays) heard a participant of another subsession") }
        if found.silent > 0 { failures.append("\(found.silent) did not hear a participant of their subsession") }
        if found.untold > 0 { failures.append("\(found.untold) were not told of all moves") }
        if found.left > 0 { failures.append("\(found.left) were not told that all are back") }
    }

    package var isSuccess: Bool { failures.isEmpty }

    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    package var table: String {
        var rows: [(String, String)] = []
        func spread(_ name: String, _ spread: LoadReport.Spread?) {
            guard let spread else { return }
            let number = LoadReport.number
            rows.append(
                (
                    name,
                    "p50 \(number(spread.p50))  p99 \(number(spread.p99))  max \(number(spread.max)) ms  (\(spread.count))"
                )
            )
        }
        rows.append(("relay", target))
        rows.append(("participants", "\(sessions) sessions x \(participants)"))
        let failed = failedJoins.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        rows.append(
            (
                "joined",
                "\(joined), \(LoadReport.number(joinsPerSecond)) a second"
                    + (failed.isEmpty ? "" : "; failed: \(failed)")
            ))
        if lostConnections > 0 { rows.append(("lost connections", "\(lostConnections)")) }
        spread("join time", joinTime)
        if let relayBytesBefore, let relayBytesWith, let relayBytesPerParticipant {
            rows.append(
                (
                    "relay memory",
                    "\(LoadReport.number(relayBytesBefore / 1_048_576)) MiB, then \(LoadReport.number(relayBytesWith / 1_048_576)) MiB: "
                        + "\(LoadReport.number(relayBytesPerParticipant / 1_024)) KiB a participant"
                ))
        }
        if signalsSent > 0 {
            rows.append(
                (
                    "signals",
                    "\(signalsSent) sent, \(signalsDelivered) delivered in \(LoadReport.number(seconds)) s: "
                        + "\(LoadReport.number(deliveriesPerSecond)) a second"
                ))
            rows.append(
                ("of them", "\(signalsMissing) missing, \(signalsOutOfOrder) out of order, \(signalsRefused) refused"))
            spread("signal latency", signalLatency)
        }
        if let rooms {
            let number = LoadReport.number
            rows.append(
                (
                    "subsessions",
                    "\(rooms.participants) moved in \(number(rooms.moved)) ms, heard their subsessions after \(number(rooms.heard)) ms, "
                        + "all told after \(number(rooms.told)) ms; back in \(number(rooms.stopped)) ms"
                ))
            rows.append(
                ("of their audio", "\(rooms.sounds) packets heard, \(rooms.strays) strays, \(rooms.silent) silent"))
        }
        rows.append(
            (
                "CPU",
                (relayCPUPercent.map { "relay \(LoadReport.number($0)) %, " } ?? "")
                    + "generator \(LoadReport.number(generatorCPUPercent)) % of a core"
            ))
        let width = rows.map(\.0.count).max() ?? 0
        var lines = rows.map { $0.0.padding(toLength: width + 2, withPad: " ", startingAt: 0) + $0.1 }
        if interrupted { lines.append("warning: ended early") }
        lines += failures.map { "failed: \($0)" }
        return lines.joined(separator: "\n")
    }
}
