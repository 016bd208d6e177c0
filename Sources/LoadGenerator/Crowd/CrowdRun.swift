import CLinuxNet
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
        let targets = try targets()
        let voices = plan.subsessions > 0 ? EndpointThread(name: "load-voices") : nil
        try voices?.start()
        defer { voices?.stop() }
        let members = try await makeMembers(voices)
        let joins = NIOLockedValueBox(JoinTally())
        let before = await relay.usage()
        let begun = LoadClock.now
        let pinger = Task { await self.ping(members) }
        defer { pinger.cancel() }
        await joinAll(members, targets, joins, progress)
        var report = CrowdReport(plan)
        report.take(joins.withLockedValue { $0 }, seconds: LoadClock.seconds(since: begun))
        try? await Task.sleep(for: Self.rest)
        let full = await relay.usage()
        let present = members.filter { $0.joined != nil }
        let moves = await moveAll(present, progress)
        let expected = await signal(present, &report, progress)
        report.take(before: before, full: full, after: await relay.usage())
        let findings = members.map(\.findings)
        report.take(findings, expected: expected)
        _ = try? await members.mapConcurrently(atMost: members.count) { await $0.leave() }
        report.interrupted = isInterrupted
        report.failures = failures(
            of: report, firstFailure: joins.withLockedValue { $0.firstFailure },
            firstLoss: findings.lazy.compactMap(\.loss).first)
        if let (moves, errors) = moves {
            report.moves = moves
            report.failures += errors + moves.failures
        }
        if let failure = voices?.thread.failure { report.failures.append("the audio stopped: \(failure)") }
        return report
    }

    private func name(of session: Int) -> String { "load \(session)" }

    /// Returns a WebSocket target for each participant, with a token of its own, because the relay limits participants per token.
    private func targets() throws(LoadError) -> [WebSocketTarget] {
        do {
            let minter = try TokenMinter(app: plan.app, secret: plan.secret)
            let now = Int64(Date().timeIntervalSince1970)
            return try (0..<plan.total).map { index throws(SignalingError) in
                let grant = TokenGrant(session: name(of: index / plan.participants), canHost: true)
                let token = try minter.mint(grant, now: now)
                return try WebSocketTarget(plan.address, token: token, configuration: SessionConfiguration())
            }
        } catch { throw .invalidSetting(error.field ?? "url", reason: error.message) }
    }

    private func joinAll(
        _ members: [CrowdMember], _ targets: [WebSocketTarget], _ joins: NIOLockedValueBox<JoinTally>,
        _ progress: @escaping @Sendable (String) -> Void
    ) async {
        let begun = LoadClock.now
        let reporter = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                let (joined, failed) = joins.withLockedValue { ($0.joined, $0.failed) }
                progress(
                    String(format: "%6.1f s  ", LoadClock.seconds(since: begun))
                        + "\(joined)/\(members.count) joined" + (failed > 0 ? ", \(failed) failed" : ""))
            }
        }
        defer { reporter.cancel() }
        await withTaskGroup(of: Void.self) { group in
            // The first participant of every session joins before the second of any.
            for (turn, member) in members.sorted(by: { turn($0) < turn($1) }).enumerated() {
                if isInterrupted { break }
                let due = begun + plan.ramp.rawValue / Int64(members.count) * Int64(turn)
                let wait = due - LoadClock.now
                if wait > 0 { try? await Task.sleep(nanoseconds: UInt64(wait)) }
                group.addTask { [self] in
                    do throws(LoadError) {
                        let time = try await member.join(targets[member.index], sessionName: name(of: member.session))
                        joins.withLockedValue { $0.joined(after: time) }
                    } catch {
                        joins.withLockedValue { $0.failed(error) }
                    }
                }
            }
        }
    }

    private func turn(_ member: CrowdMember) -> (Int, Int) { (member.index % plan.participants, member.session) }

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

    /// Sends signals for the duration of the plan, and waits until they have arrived.
    /// - Returns: the number of deliveries if no signal is lost.
    private func signal(
        _ members: [CrowdMember], _ report: inout CrowdReport, _ progress: @escaping @Sendable (String) -> Void
    ) async -> Int {
        var expected = 0
        // Neighbours in this order belong to different sessions.
        let senders = members.sorted { turn($0) < turn($1) }
        guard plan.signals > 0, !senders.isEmpty, plan.duration > .zero else { return expected }
        let audience = Dictionary(grouping: senders, by: \.session)
        let begun = LoadClock.now
        let processor = millrace_process_cpu_ns()
        var next = begun + 1_000_000_000
        func received() -> Int { senders.reduce(0) { $0 + $1.findings.order.received } }
        while LoadClock.now - begun < plan.duration.rawValue, !isInterrupted {
            let due = Int(plan.signals * LoadClock.seconds(since: begun))
            while report.signalsSent < due {
                let sender = senders[report.signalsSent % senders.count]
                sender.signal()
                report.signalsSent += 1
                expected += audience[sender.session]?.count ?? 0
            }
            if LoadClock.now >= next {
                next += 1_000_000_000
                progress(
                    String(format: "%6.1f s  ", LoadClock.seconds(since: begun))
                        + "\(report.signalsSent) signals sent, \(received()) of \(expected) delivered")
            }
            try? await Task.sleep(for: Self.beat)
        }
        report.seconds = LoadClock.seconds(since: begun)
        report.generatorCPUPercent = Double(millrace_process_cpu_ns() - processor) / 1e7 / report.seconds
        let end = LoadClock.now + Self.patience
        while received() < expected, LoadClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
        return expected
    }

    private func failures(of report: CrowdReport, firstFailure: LoadError?, firstLoss: String?) -> [String] {
        var lines: [String] = []
        if report.joined < plan.total {
            let first = firstFailure.map { ": \($0)" } ?? ""
            lines.append("\(plan.total - report.joined) of \(plan.total) did not join\(first)")
        }
        if report.lostConnections > 0 {
            lines.append("\(report.lostConnections) connections ended early: \(firstLoss ?? "")")
        }
        if report.signalsMissing > 0 { lines.append("\(report.signalsMissing) signals did not arrive") }
        if report.signalsOutOfOrder > 0 { lines.append("\(report.signalsOutOfOrder) signals arrived out of order") }
        if let bound = plan.maxJoinTime, let p99 = report.joinTime?.p99, p99 > bound {
            lines.append("join time p99 \(p99.short) ms is above \(bound.short) ms")
        }
        return lines
    }
}
