import DTLS
import MediaBase
import MediaEngine
import Synchronization

/// A load run: publishers that encode, subscribers that count packets, and a sample of subscribers that decode.
///
/// ```swift
/// var plan = LoadPlan(target: .url("http://127.0.0.1:7880"))
/// plan.video = try VideoFormat("640x360@30")
/// let report = try await LoadRun(plan: plan, door: PlainHTTPDoor(address: "http://127.0.0.1:7880")).run { print($0.line) }
/// ```
package final class LoadRun: Sendable {
    let plan: LoadPlan
    let doors: RelayDoors
    let sharesProcess: Bool
    let clock = LoadClock()
    let roster = Locked(Roster())
    let sources: [VideoSource]
    let sound: AudioSource?
    let sendThread: PublisherThread
    let receiveThreads: [SubscriberThread]
    let peerSender: PeerThread
    let peerReceivers: [PeerThread]
    let decoder: SampleDecoder
    private let recorded = Locked(LoadTimeline())
    private let interrupted = Atomic<Bool>(false)

    /// Maximum number of joins that wait for the relay's answer at the same time.
    static let joinsAtATime = 16
    static let tick: Duration = .milliseconds(10)

    /// - Throws: `LoadError.invalidSetting` if the plan is invalid.
    package convenience init(plan: LoadPlan, door: any RelayDoor) throws(LoadError) {
        guard plan.transport == .plain else {
            throw .invalidSetting("transport", reason: "plain transports cannot be used for \(plan.transport.rawValue)")
        }
        try self.init(plan: plan, doors: .plain(door))
    }

    /// - Throws: `LoadError.invalidSetting` if the plan is invalid.
    package convenience init(plan: LoadPlan, webRTC door: any WebRTCRelayDoor) throws(LoadError) {
        guard plan.transport == .webRTC else {
            throw .invalidSetting(
                "transport", reason: "a WebRTC relay interface cannot be used for \(plan.transport.rawValue)")
        }
        let identity: DTLSIdentity
        do { identity = try .generate() } catch { throw .media("certificate: \(error)") }
        try self.init(plan: plan, doors: .webRTC(door, identity))
    }

    private init(plan: LoadPlan, doors: RelayDoors) throws(LoadError) {
        try plan.validate()
        self.plan = plan
        self.doors = doors
        sharesProcess = plan.target == .embedded
        let clock = clock
        if let format = plan.video {
            let formats = plan.simulcast ? format.simulcast : [format]
            let bitrates = formats.dropLast().map(\.usualBitrate) + [plan.videoBitrate ?? format.usualBitrate]
            let count = plan.distinctVideo ? plan.totalPublishers : 1
            sources = (0..<count).map {
                VideoSource(
                    name: count == 1 ? "load-video" : "load-video-\($0)", formats: formats, bitrates: bitrates,
                    clock: clock)
            }
        } else {
            sources = []
        }
        sound = plan.audio ? AudioSource(toneCount: min(TestTone.count, plan.totalPublishers)) : nil
        let loss = LossPattern(share: plan.loss, seed: plan.seed)
        sendThread = PublisherThread(host: plan.localAddress, clock: clock, loss: loss)
        // A thread receives about 200,000 packets a second; more threads would only compete with the relay on a small machine.
        let threads = plan.totalSubscribers > 250 && ProcessorCount.online >= 4 ? 2 : 1
        receiveThreads = (0..<threads).map {
            SubscriberThread(name: threads == 1 ? "load-receive" : "load-receive-\($0)", loss: loss)
        }
        peerSender = PeerThread(name: "load-send", loss: loss)
        peerReceivers = (0..<threads).map {
            PeerThread(name: threads == 1 ? "load-receive" : "load-receive-\($0)", loss: loss)
        }
        decoder = SampleDecoder(clock: clock, format: plan.video)
    }

    /// Ends the run early; the report covers the time measured so far. May be called from any thread.
    package func interrupt() { interrupted.store(true, ordering: .relaxed) }
    package var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

    /// Timeline of the run so far; of the whole run once it has ended, even if it failed.
    package var timeline: LoadTimeline { recorded.withLock { $0 } }

    /// Runs the plan to its end.
    ///
    /// - Parameter progress: called about once a second.
    /// - Throws: an error that prevented the run from starting, or ended a thread of the generator. Refused joins are not errors;
    ///   the report lists them.
    package func run(progress: @escaping @Sendable (LoadProgress) -> Void) async throws(LoadError) -> LoadReport {
        var publishers: [Seat] = []
        let cpuAtStart = ProcessorTime.process
        let outcome: Result<Measurement, LoadError>
        do {
            try startThreads()
            try await publish(into: &publishers)
            outcome = .success(try await measure(progress: progress))
        } catch { outcome = .failure(error) }
        // Subscribers stop first, so that the end of the publishers does not count as a freeze.
        for thread in receiveThreads { thread.stop() }
        for thread in peerReceivers { thread.stop() }
        decoder.stop()
        // Publishers close their connections themselves: a close by the relay would count as a lost connection.
        peerSender.stop()
        await close(roster.withLock { $0.takeAll() }.map(\.seat) + publishers)
        sendThread.stop()
        for source in sources { source.thread.stop() }
        sound?.thread.stop()
        await doors.stop()
        if let failure { throw failure }
        return report(try outcome.get(), processNanoseconds: ProcessorTime.process - cpuAtStart)
    }

    private func startThreads() throws(LoadError) {
        let listener: Int32
        switch doors {
        case .plain:
            listener = sendThread.event
            try sendThread.start()
            for thread in receiveThreads { try thread.start() }
        case .webRTC:
            listener = peerSender.event
            try peerSender.start()
            for thread in peerReceivers { try thread.start() }
        }
        for source in sources { try source.start(listener: listener) }
        try sound?.start(listener: listener)
        try decoder.start()
    }

    /// Error that ended one of the threads early.
    private var failure: LoadError? {
        for source in sources {
            if let failure = source.thread.failure { return failure }
        }
        for thread in receiveThreads {
            if let failure = thread.failure { return failure }
        }
        for thread in [peerSender] + peerReceivers {
            if let failure = thread.failure { return failure }
        }
        return sound?.thread.failure ?? sendThread.failure ?? decoder.failure
    }

    private func publish(into publishers: inout [Seat]) async throws(LoadError) {
        for index in 0..<plan.totalPublishers {
            switch doors {
            case .plain(let door): publishers.append(try await publishPlain(door, index: index))
            case .webRTC(let door, let identity):
                publishers.append(try await publishWebRTC(door, identity, index: index))
            }
            if isInterrupted { return }
        }
        // Waits for the first packets, so that subscribers do not measure the encoder's start.
        let deadline = LoadClock.now + 5_000_000_000
        while sent.packets < UInt64(plan.totalPublishers), LoadClock.now < deadline, !isInterrupted {
            try? await Task.sleep(for: Self.tick)
        }
    }

    private func measure(progress: @escaping @Sendable (LoadProgress) -> Void) async throws(LoadError) -> Measurement {
        let start = LoadClock.now
        var meter = ProgressMeter(start: snapshot())
        var measurement: Measurement?
        var (begun, churned) = (0, 0)
        let joining = JoinGate(limit: Self.joinsAtATime)
        while true {
            let now = LoadClock.now
            if let failure { throw failure }
            let due =
                plan.ramp == .zero
                ? plan.totalSubscribers
                : min(
                    plan.totalSubscribers,
                    Int(Double(now - start) / Double(plan.ramp.rawValue) * Double(plan.totalSubscribers)))
            while begun < due, joining.enter() {
                begun += 1
                Task {
                    await join(); joining.leave()
                }
            }
            if measurement == nil, begun == plan.totalSubscribers, joining.isIdle {
                measurement = Measurement(start: snapshot(), usage: await doors.usage())
            }
            if let began = measurement {
                let wanted = Int(Double(now - began.start.time) / 1e9 * plan.churn)
                while churned < wanted, joining.enter() {
                    churned += 1
                    Task {
                        await replace(); joining.leave()
                    }
                }
                if now - began.start.time >= plan.duration.rawValue { break }
            }
            if isInterrupted { break }
            if meter.isDue(now: now) {
                let point = meter.point(snapshot(), of: self, isMeasured: measurement != nil)
                recorded.withLock { $0.add(point) }
                progress(meter.progress(point, of: self))
            }
            try? await Task.sleep(for: Self.tick)
        }
        while !joining.isIdle { try? await Task.sleep(for: Self.tick) }
        var result: Measurement
        if let measurement {
            result = measurement
        } else {
            result = Measurement(start: snapshot(), usage: await doors.usage())
        }
        result.end = snapshot()
        let point = meter.point(result.end, of: self, isMeasured: measurement != nil)
        recorded.withLock { $0.finish(point) }
        result.endUsage = await doors.usage()
        return result
    }

    /// Adds a subscriber; counts a failed join.
    private func join() async {
        let (index, isSampled) = roster.withLock { $0.begin(sample: plan.decodeSample) }
        let publisher = plan.publisher(ofSubscription: index)
        let started = LoadClock.now
        do {
            let entry: Roster.Entry
            switch doors {
            case .plain(let door):
                entry = try await joinPlain(
                    door, index: index, publisher: publisher, started: started, isSampled: isSampled)
            case .webRTC(let door, let identity):
                entry = try await joinWebRTC(
                    door, identity, index: index, publisher: publisher, started: started, isSampled: isSampled)
            }
            let joined = LoadClock.now
            roster.withLock { $0.joined(entry, microseconds: (joined - started) / 1_000) }
        } catch {
            roster.withLock { $0.failed(error, wasSampled: isSampled) }
        }
    }

    /// Replaces the subscriber that joined first by a new one (churn).
    private func replace() async {
        if let entry = roster.withLock({ $0.leaveOldest() }) {
            switch doors {
            case .plain: receiveThreads[entry.thread].remove(entry.index)
            case .webRTC: await peerReceivers[entry.thread].remove(entry.index)
            }
            await doors.close(entry.seat)
        }
        await join()
    }

    private func close(_ seats: [Seat]) async {
        let doors = doors
        await withTaskGroup(of: Void.self) { group in
            for (count, seat) in seats.enumerated() {
                if count >= Self.joinsAtATime { await group.next() }
                group.addTask { await doors.close(seat) }
            }
        }
    }

    func source(of publisher: Int) -> VideoSource? {
        sources.isEmpty ? nil : sources[publisher % sources.count]
    }
    func tone(of publisher: Int) -> Int { publisher % (sound?.toneCount ?? 1) }

    /// Returns the publisher's delay in nanoseconds: publishers of one source spread their sending over the frame interval.
    func videoOffset(of publisher: Int) -> Int64 {
        guard let format = plan.video, !plan.distinctVideo else { return 0 }
        return Int64(publisher) * format.interval.rawValue / Int64(plan.totalPublishers)
    }
    func audioOffset(of publisher: Int) -> Int64 {
        Int64(publisher) * AudioSource.interval.rawValue / Int64(plan.totalPublishers)
    }
}
