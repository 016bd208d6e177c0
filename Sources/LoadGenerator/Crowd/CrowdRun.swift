import CLinuxNet
import ControlServer
import Foundation
import MediaBase
import MillraceClient
import MillraceTokens
import NIOConcurrencyHelpers
import Signaling
import Synchronization

/// Run with participants of the control protocol: they join at a rate, stay, and send signals to each other. Without media, except
/// with subsessions: then they publish audio and check whom they hear.
package final class CrowdRun: Sendable {
    package let plan: CrowdPlan
    private let relay: HTTPRelay
    private let interrupted = Atomic<Bool>(false)

    /// Interval at which due signals are sent.
    private static let beat = Duration.milliseconds(10)
    private static let pingInterval: Int64 = 5_000_000_000
    /// Time to wait after the last signal for those still in flight, in nanoseconds.
    private static let patience: Int64 = 5_000_000_000
    /// Time from the last join to the measurement of memory.
    private static let rest = Duration.seconds(1)

    package init(plan: CrowdPlan, token: String?) throws(LoadError) {
        self.plan = plan
        relay = try HTTPRelay(address: plan.address, token: token)
    }

    /// Ends the run early, with a report.
    package func interrupt() { interrupted.store(true, ordering: .relaxed) }
    package var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    /// - Parameter progress: called with a line each second.
    package func run(_ progress: @escaping @Sendable (String) -> Void) async throws(LoadError) -> CrowdReport {
        let targets = try await targets(of: (0..<plan.total).map { $0 / plan.participants })
        let voices = plan.subsessions > 0 ? EndpointThread(name: "load-voices") : nil
        try voices?.start()
        defer { voices?.stop() }
        let members = try await makeMembers(voices)
        let tally = NIOLockedValueBox(Tally())
        let before = await relay.usage()
        let begun = LoadClock.now
        let pinger = Task { await self.ping(members) }
        defer { pinger.cancel() }
        await joinAll(members, targets, tally, progress)
        let joinSeconds = Double(LoadClock.now - begun) / 1e9
        try? await Task.sleep(for: Self.rest)
        let full = await relay.usage()
        let moves = await moveAll(members.filter { tally.withLockedValue { $0.joined }.contains($0.index) }, progress)
        let signalling = await signal(members, tally.withLockedValue { $0.joined }, progress)
        let after = await relay.usage()
        let findings = members.map(\.findings)
        await withTaskGroup(of: Void.self) { group in
            for member in members { group.addTask { await member.leave() } }
        }
        var report = report(
            tally.withLockedValue { $0.joins }, findings, joinSeconds: joinSeconds, usage: (before, full, after),
            signalling)
        if let moves { report.take(moves) }
        if let failure = voices?.thread.failure { report.failures.append("the audio stopped: \(failure)") }
        return report
    }

    /// Results of the joins.
    private struct Tally {
        /// Participants that have joined, by index.
        var joined: Set<Int> = []
        var joins = JoinTally()
    }

    private struct Signalling {
        var sent = 0
        var expected = 0
        var seconds = 0.0
        var generator = 0.0
    }

    func name(of session: Int) -> String { "load \(session)" }

    /// Returns the WebSocket target for one more participant of a session.
    func target(of session: Int) async throws(LoadError) -> WebSocketTarget {
        try await targets(of: [session])[0]
    }

    /// Returns one WebSocket target per given session, each with its own token, because the relay limits participants per token.
    private func targets(of sessions: [Int]) async throws(LoadError) -> [WebSocketTarget] {
        do {
            let minter = try TokenMinter(app: plan.app, secret: plan.secret)
            var targets: [WebSocketTarget] = []
            let now = Int64(Date().timeIntervalSince1970)
            for session in sessions {
                let grant = TokenGrant(session: name(of: session), canHost: true)
                let token = try minter.mint(grant, now: now)
                targets.append(try WebSocketTarget(plan.address, token: token, configuration: SessionConfiguration()))
            }
            return targets
        } catch {
            throw .invalidSetting(error.field ?? "url", reason: error.message)
        }
    }

    private func joinAll(
        _ members: [CrowdMember], _ targets: [WebSocketTarget], _ tally: NIOLockedValueBox<Tally>,
        _ progress: @escaping @Sendable (String) -> Void
    ) async {
        let begun = LoadClock.now
        let reporter = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                let (joined, failed) = tally.withLockedValue { ($0.joins.joined, $0.joins.failed) }
                progress(
                    String(format: "%6.1f s  ", Double(LoadClock.now - begun) / 1e9)
                        + "\(joined)/\(members.count) joined" + (failed > 0 ? ", \(failed) failed" : ""))
            }
        }
        defer { reporter.cancel() }
        await withTaskGroup(of: Void.self) { group in
            // The first participant of every session joins before the second of any.
            for (turn, member) in members.sorted(by: { Self.turn($0, plan) < Self.turn($1, plan) }).enumerated() {
                if isInterrupted { break }
                let due = begun + plan.ramp.rawValue / Int64(members.count) * Int64(turn)
                let wait = due - LoadClock.now
                if wait > 0 { try? await Task.sleep(nanoseconds: UInt64(wait)) }
                group.addTask { [self] in
                    do throws(LoadError) {
                        let time = try await member.join(targets[member.index], sessionName: name(of: member.session))
                        tally.withLockedValue { tally in
                            tally.joined.insert(member.index)
                            tally.joins.joined(after: time)
                        }
                    } catch {
                        tally.withLockedValue { $0.joins.failed(error) }
                    }
                }
            }
        }
    }

    private static func turn(_ member: CrowdMember, _ plan: CrowdPlan) -> (Int, Int) {
        (member.index % plan.participants, member.session)
    }

    /// Sends a ping for every participant in each interval, spread over the interval.
    private func ping(_ members: [CrowdMember]) async {
        let slices = 50
        var slice = 0
        while !Task.isCancelled {
            try? await Task.sleep(nanoseconds: UInt64(Self.pingInterval) / UInt64(slices))
            for member in stride(from: slice, to: members.count, by: slices) { members[member].ping() }
            slice = (slice + 1) % slices
        }
    }

    private func signal(
        _ members: [CrowdMember], _ joined: Set<Int>, _ progress: @escaping @Sendable (String) -> Void
    ) async -> Signalling {
        var signalling = Signalling()
        // Neighbours in this order belong to different sessions.
        let senders = members.filter { joined.contains($0.index) }.sorted { Self.turn($0, plan) < Self.turn($1, plan) }
        guard plan.signals > 0, !senders.isEmpty, plan.duration > .zero else { return signalling }
        var audience: [Int: Int] = [:]
        for sender in senders { audience[sender.session, default: 0] += 1 }
        let begun = LoadClock.now
        let processor = millrace_process_cpu_ns()
        var next = begun + 1_000_000_000
        func received() -> Int { senders.reduce(0) { $0 + $1.findings.order.received } }
        while LoadClock.now - begun < plan.duration.rawValue, !isInterrupted {
            let due = Int(plan.signals * Double(LoadClock.now - begun) / 1e9)
            while signalling.sent < due {
                let sender = senders[signalling.sent % senders.count]
                sender.signal()
                signalling.sent += 1
                signalling.expected += audience[sender.session] ?? 0
            }
            if LoadClock.now >= next {
                next += 1_000_000_000
                progress(
                    String(format: "%6.1f s  ", Double(LoadClock.now - begun) / 1e9)
                        + "\(signalling.sent) signals sent, \(received()) of \(signalling.expected) delivered")
            }
            try? await Task.sleep(for: Self.beat)
        }
        signalling.seconds = Double(LoadClock.now - begun) / 1e9
        signalling.generator = Double(millrace_process_cpu_ns() - processor) / 1e9 / signalling.seconds
        let end = LoadClock.now + Self.patience
        while received() < signalling.expected, LoadClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
        return signalling
    }

    private func report(
        _ joins: JoinTally, _ findings: [CrowdMember.Findings], joinSeconds: Double,
        usage: (before: RelayUsage?, full: RelayUsage?, after: RelayUsage?), _ signalling: Signalling
    ) -> CrowdReport {
        var latency = Distribution()
        var received = 0
        var disordered = 0
        for finding in findings {
            latency.merge(finding.latency)
            received += finding.order.received
            disordered += finding.order.disordered
        }
        let joined = joins.joined
        let grown = usage.before.flatMap { before in usage.full.map { $0.residentBytes - before.residentBytes } }
        let relayCPU = usage.full.flatMap { full in
            usage.after.map { ($0.cpuNanoseconds - full.cpuNanoseconds) / 1e9 }
        }
        var report = CrowdReport(
            target: plan.address, sessions: plan.sessions, participants: plan.participants, joined: joined,
            failedJoins: joins.failures, lostConnections: findings.count { $0.loss != nil },
            joinTime: LoadReport.Spread(microseconds: joins.time),
            joinsPerSecond: Double(joined) / max(joinSeconds, 1e-3), relayBytesBefore: usage.before?.residentBytes,
            relayBytesWith: usage.full?.residentBytes,
            relayBytesPerParticipant: grown.map { $0 / Double(max(1, joined)) }, seconds: signalling.seconds,
            signalsSent: signalling.sent, signalsDelivered: received,
            deliveriesPerSecond: signalling.seconds > 0 ? Double(received) / signalling.seconds : 0,
            signalsMissing: max(0, signalling.expected - received), signalsOutOfOrder: disordered,
            signalsRefused: findings.reduce(0) { $0 + $1.refusals },
            signalLatency: LoadReport.Spread(microseconds: latency),
            relayCPUPercent: signalling.seconds > 0 ? relayCPU.map { $0 / signalling.seconds * 100 } : nil,
            generatorCPUPercent: signalling.generator * 100, interrupted: isInterrupted, failures: [])
        if joined < plan.total {
            let first = joins.firstFailure.map { ": \($0)" } ?? ""
            report.failures.append("\(plan.total - joined) of \(plan.total) did not join\(first)")
        }
        if report.lostConnections > 0 {
            let first = findings.lazy.compactMap(\.loss).first ?? ""
            report.failures.append("\(report.lostConnections) connections ended early: \(first)")
        }
        if report.signalsMissing > 0 { report.failures.append("\(report.signalsMissing) signals did not arrive") }
        if disordered > 0 { report.failures.append("\(disordered) signals arrived out of order") }
        if let bound = plan.maxJoinTime, let p99 = report.joinTime?.p99, p99 > bound {
            report.failures.append(
                "join time p99 \(LoadReport.number(p99)) ms is above \(LoadReport.number(bound)) ms")
        }
        return report
    }
}
