import CLinuxNet
import Foundation
import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Synchronization
import TestMedia

/// A load run: publishers that encode, subscribers that count packets, and a sample of subscribers that decode.
///
/// ```swift
/// var plan = LoadPlan(target: .url("http://127.0.0.1:7880"))
/// plan.video = try VideoFormat("640x360@30")
/// let report = try await LoadRun(plan: plan, relay: HTTPRelay(address: "http://127.0.0.1:7880")).run { print($0) }
/// ```
package final class LoadRun: Sendable {
    let plan: LoadPlan
    let relay: any RelayInterface
    let clock = LoadClock()
    let loss: LossPattern
    let roster = NIOLockedValueBox(Roster())
    /// Keys of the publishers' end-to-end encryption; nil without encryption.
    let frameKeys: [FrameKey]?
    let videoSources: [VideoSource]
    let audioSource: AudioSource?
    /// Thread of all publishers.
    let sender: EndpointThread
    /// Threads of subscribers.
    let receivers: [EndpointThread]
    let decoder: SampleDecoder
    private let opener: any ParticipantOpener
    private let recorded = NIOLockedValueBox(LoadTimeline())
    private let interrupted = Atomic<Bool>(false)

    /// Maximum number of joins that wait for the relay's answer at the same time.
    static let joinsAtATime = 16
    static let tick: Duration = .milliseconds(10)

    package init(plan: LoadPlan, relay: any RelayInterface) throws(LoadError) {
        try plan.validate()
        self.plan = plan
        self.relay = relay
        frameKeys = try Self.frameKeys(plan)
        opener = plan.transport == .plain ? PlainParticipants() : try WebRTCParticipants()
        videoSources = VideoSource.sources(of: plan, clock: clock)
        audioSource = plan.audio ? AudioSource(toneCount: min(TestTone.count, plan.totalPublishers)) : nil
        loss = LossPattern(share: plan.loss, seed: plan.seed)
        sender = EndpointThread(name: "load-send")
        // A thread receives about 200,000 packets a second; more threads would only compete with the relay on a small machine.
        let isBusy = plan.totalSubscribers > 250 && ProcessInfo.processInfo.activeProcessorCount >= 4
        receivers = (isBusy ? ["load-receive-0", "load-receive-1"] : ["load-receive"]).map {
            EndpointThread(name: $0, sweepInterval: plan.transport == .plain ? 20_000_000 : 5_000_000)
        }
        decoder = SampleDecoder(clock: clock)
    }

    /// True if the relay is in this process.
    var sharesProcess: Bool { plan.target == .embedded }

    /// Ends the run early; the report covers the time measured so far. May be called from any thread.
    package func interrupt() { interrupted.store(true, ordering: .relaxed) }
    package var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    /// Timeline of the run so far; of the whole run once it has ended, even if it failed.
    package var timeline: LoadTimeline { recorded.withLockedValue { $0 } }

    /// Runs the plan to its end. Refused joins are not errors; the report lists them.
    /// - Parameter progress: called about once a second, with a line for a terminal.
    /// - Throws: an error that prevented the run from starting, or ended a thread of the generator.
    package func run(progress: @escaping @Sendable (String) -> Void) async throws(LoadError) -> LoadReport {
        var publishers: [Seat] = []
        let cpuAtStart = millrace_process_cpu_ns()
        let outcome: Result<Measurement, LoadError>
        do {
            try startThreads()
            try await publish(into: &publishers)
            outcome = .success(try await measure(progress: progress))
        } catch { outcome = .failure(error) }
        // Subscribers stop first, so that the end of the publishers does not count as a freeze.
        for thread in receivers { thread.stop() }
        decoder.stop()
        // Participants close their connections themselves: a close by the relay would count as a lost connection.
        sender.stop()
        let seats = roster.withLockedValue { $0.present }.map(\.seat) + publishers
        _ = try? await seats.mapConcurrently(atMost: Self.joinsAtATime) { await $0() }
        for thread in threads { thread.stop() }
        await relay.stop()
        if let failure { throw failure }
        return report(try outcome.get(), processNanoseconds: millrace_process_cpu_ns() - cpuAtStart)
    }

    private func startThreads() throws(LoadError) {
        try sender.start()
        for thread in receivers { try thread.start() }
        for source in videoSources { try source.start(listener: sender.thread.event) }
        try audioSource?.start(listener: sender.thread.event)
        try decoder.start()
    }

    var threads: [LoadThread] {
        videoSources.map(\.thread) + [audioSource?.thread].compactMap(\.self) + ([sender] + receivers).map(\.thread)
            + [decoder.thread]
    }

    /// Error that ended one of the threads early.
    private var failure: LoadError? { threads.lazy.compactMap(\.failure).first }

    private func publish(into publishers: inout [Seat]) async throws(LoadError) {
        for index in 0..<plan.totalPublishers {
            publishers.append(try await add(index, to: sender, opener.publish(index, in: self)))
            if isInterrupted { return }
        }
        // Waits for the first packets, so that subscribers do not measure the encoder's start.
        let deadline = LoadClock.now + 5_000_000_000
        while totals.sent.packets < UInt64(plan.totalPublishers), LoadClock.now < deadline, !isInterrupted {
            try? await Task.sleep(for: Self.tick)
        }
    }

    private func measure(progress: @escaping @Sendable (String) -> Void) async throws(LoadError) -> Measurement {
        let rampStart = LoadClock.now
        var meter = ProgressMeter(start: snapshot())
        var start: LoadSnapshot?
        var (begun, churned) = (0, 0)
        while !isInterrupted {
            let now = LoadClock.now
            if let failure { throw failure }
            let share = plan.ramp == .zero ? 1 : min(1, Double(now - rampStart) / Double(plan.ramp.rawValue))
            let due = Int(share * Double(plan.totalSubscribers))
            while begun < due, begin({ await self.join() }) { begun += 1 }
            if start == nil, begun == plan.totalSubscribers, isIdle {
                start = snapshot()
                start?.usage = await relay.usage()
            }
            if let began = start?.time {
                let wanted = Int(Double(now - began) / 1e9 * plan.churn)
                while churned < wanted, begin({ await self.replace() }) { churned += 1 }
                if now - began >= plan.duration.rawValue { break }
            }
            if meter.isDue(now: now) {
                let point = meter.point(snapshot(), of: self, isMeasured: start != nil)
                recorded.withLockedValue { $0.add(point) }
                progress(meter.line(point, of: self))
            }
            try? await Task.sleep(for: Self.tick)
        }
        while !isIdle { try? await Task.sleep(for: Self.tick) }
        var end = snapshot()
        let point = meter.point(end, of: self, isMeasured: start != nil)
        recorded.withLockedValue { $0.finish(point) }
        end.usage = await relay.usage()
        // A run that was interrupted during the ramp has no measured time.
        return Measurement(start: start ?? end, end: end)
    }

    /// Begins a join, unless `joinsAtATime` of them are in progress. Returns whether it has begun.
    private func begin(_ join: @escaping @Sendable () async -> Void) -> Bool {
        guard roster.withLockedValue({ $0.begin(limit: Self.joinsAtATime) }) else { return false }
        Task {
            await join()
            roster.withLockedValue { $0.end() }
        }
        return true
    }

    private var isIdle: Bool { roster.withLockedValue { $0.inProgress == 0 } }

    /// Adds a subscriber; counts a failed join.
    private func join() async {
        let join = roster.withLockedValue { $0.next(of: plan) }
        do {
            let seat = try await add(join.index, to: receiver(of: join.index), opener.subscribe(join, in: self))
            let now = LoadClock.now
            roster.withLockedValue { $0.joined(join, seat, at: now) }
        } catch {
            roster.withLockedValue { $0.failed(join, error) }
        }
    }

    /// Replaces the subscriber that joined first by a new one (churn).
    private func replace() async {
        if let entry = roster.withLockedValue({ $0.leaveOldest() }) {
            await receiver(of: entry.join.index).remove(entry.join.index)
            await entry.seat()
        }
        await join()
    }
}
