import Forwarding
import MediaBase
import MillraceTestKit
import RTP

/// A sender with an estimator, a bottleneck, and a receiver that makes feedback. Steps of one millisecond; the same seed gives the same
/// run.
final class PathSimulation {
    /// Media of the sender.
    enum Source {
        /// An encoder that follows the target.
        case greedy
        /// Video of a constant rate, bits a second.
        case fixed(Double)
        /// The layers that an allocator selects from these encodings.
        case layers([AllocatedTrack.Encoding])
    }

    struct Sample {
        /// Seconds.
        var time: Double
        /// Bits a second.
        var target: Double
        var capacity: Double
        var sent: Double
        var received: Double
        /// Queueing delay, ms.
        var queue: Double
        /// Encoding that the allocator selected; -1 while paused.
        var layer: Int
    }

    struct Options {
        var source = Source.greedy
        var link = BottleneckLink.Conditions()
        var seed: UInt64 = 1
        /// Drift of the receiver's clock, parts per million.
        var drift = 0.0
        var feedbackLoss = 0.0
        /// The receiver sends REMB instead of transport-wide feedback.
        var isREMB = false
        /// Probes leave in one burst, not at their rate.
        var probesInBursts = false
        var configuration = BandwidthEstimator.Configuration()
    }

    let options: Options
    var link: BottleneckLink
    let estimator: BandwidthEstimator
    var allocator = LayerAllocator()
    private var ring = SentPacketRing()
    private var maker = FeedbackMaker(sender: SSRC(1), media: SSRC(2))
    private var random: SeededGenerator
    private(set) var now = 0.0
    var feedbackLoss: Double
    private(set) var samples: [Sample] = []
    /// Longest queueing delay, ms.
    private(set) var longestQueue = 0.0

    private var pacer: [Int] = []
    private var budget = 0.0
    private var probe: (probe: Probe, bytes: Int, packets: Int, owed: Double)?
    private var inFlight: [Int: (sequence: UInt16, bytes: Int)] = [:]
    private var numbered = 0
    private var arriving: [(at: Double, sequence: UInt16, bytes: Int)] = []
    private var feedback: [(at: Double, bytes: [UInt8])] = []
    private var rembs: [(at: Double, bitrate: Double)] = []
    private(set) var probes: [(time: Double, probe: Probe)] = []
    private var nextFrame = 0.0
    private var selection: LayerSelection? = LayerSelection(encoding: 0, temporal: 3)
    private(set) var changes: [(time: Double, change: LayerAllocation.Change, selection: LayerSelection?)] = []

    private var sentBytes = 0
    private var receivedBytes = 0
    private(set) var sentPackets = 0
    private(set) var receivedPackets = 0
    private(set) var mediaBytes = 0
    private(set) var mediaReceived = 0
    private var remote = RemoteEstimator()

    init(_ options: Options) {
        self.options = options
        link = BottleneckLink(options.link, seed: options.seed)
        random = SeededGenerator(seed: options.seed &+ 7)
        var configuration = options.configuration
        configuration.hasTransportFeedback = !options.isREMB
        estimator = BandwidthEstimator(configuration, now: .zero)
        feedbackLoss = options.feedbackLoss
        if case .greedy = options.source { estimator.wanted = .kilobits(50_000) }
    }

    deinit { ring.deallocate() }

    private var time: MediaTime { .microseconds(Int64(now * 1_000)) }
    /// Time of the receiver's clock, which has another start and a slightly different rate.
    private func remoteTime(_ ms: Double) -> MediaTime {
        .microseconds(1_000_000_000_000 + Int64(ms * 1_000 * (1 + options.drift / 1e6)))
    }

    func run(seconds: Double) {
        let end = now + seconds * 1_000
        while now < end { step() }
    }

    /// Returns the samples of a span of time, in seconds.
    func samples(from: Double, to: Double) -> [Sample] { samples.filter { $0.time >= from && $0.time < to } }

    private func step() {
        now += 1
        produce()
        pace()
        for (packet, arrival) in link.advance(to: now) {
            guard let sent = inFlight.removeValue(forKey: packet) else { continue }
            arriving.append((arrival, sent.sequence, sent.bytes))
        }
        arriving.sort { $0.at < $1.at }
        while let first = arriving.first, first.at <= now {
            arriving.removeFirst()
            receivedBytes += first.bytes
            receivedPackets += 1
            if options.isREMB {
                remote.receive(bytes: first.bytes, queue: link.queueDelay, now: now)
            } else {
                maker.receive(sequence: first.sequence, bytes: first.bytes, now: remoteTime(first.at))
            }
        }
        report()
        if estimator.deadline <= time {
            withRing { estimator.handleTimeout(sent: options.isREMB ? nil : $0, now: time) }
        }
        if probe == nil, let next = estimator.takeProbe(now: time) {
            probe = (next, 0, 0, 0)
            probes.append((now / 1_000, next))
        }
        longestQueue = max(longestQueue, link.queueDelay)
        if Int(now) % 100 == 0 { sample() }
    }

    private func withRing(_ body: (UnsafePointer<SentPacketRing>) -> Void) { withUnsafePointer(to: &ring, body) }

    private func sample() {
        let target = Double(estimator.target.rawValue)
        samples.append(
            Sample(
                time: now / 1_000, target: target, capacity: Double(estimator.capacity.rawValue),
                sent: Double(sentBytes) * 80, received: Double(receivedBytes) * 80, queue: link.queueDelay,
                layer: selection?.encoding ?? -1))
        sentBytes = 0
        receivedBytes = 0
        guard case .layers(let encodings) = options.source else { return }
        let tracks = [
            AllocatedTrack(id: 1, kind: .audio, encodings: [.init(bitrates: [.kilobits(48)])]),
            AllocatedTrack(id: 2, kind: .video, encodings: encodings),
        ]
        let allocation = allocator.allocate(
            tracks, target: estimator.target, capacity: estimator.capacity, now: time)
        estimator.wanted = allocation.wanted
        estimator.used = allocation.used
        for decision in allocation.decisions where decision.selection != selection {
            selection = decision.selection
            changes.append((now / 1_000, decision.change, selection))
        }
    }

    private func produce() {
        if Int(now) % 20 == 0 { send(bytes: 120, probe: 0) }
        guard now >= nextFrame else { return }
        nextFrame += 1_000 / 30
        let rate: Double
        switch options.source {
        case .greedy: rate = max(Double(estimator.target.rawValue) - 48_000, 30_000)
        case .fixed(let bits): rate = bits
        case .layers(let encodings):
            rate = selection.map { Double(encodings[$0.encoding].bitrates[Int($0.temporal)]) } ?? 0
        }
        let noise = 0.8 + 0.4 * Double(random.below(1_000)) / 1_000
        var left = Int(rate * noise / 30 / 8)
        while left > 0 {
            let size = min(left, 1_150)
            pacer.append(size + 50)
            left -= size
        }
    }

    private func pace() {
        let rate = Double(probe?.probe.bitrate.rawValue ?? estimator.pacingRate.rawValue)
        budget = min(budget + rate / 8_000, max(rate / 8_000, 1_200))
        if probe != nil, options.probesInBursts { budget = .infinity }
        while budget > 0, !pacer.isEmpty || probe != nil {
            if budget == .infinity, probe == nil { break }
            let size = pacer.isEmpty ? 1_000 : pacer.removeFirst()
            budget -= Double(size)
            send(bytes: size, probe: probe?.probe.id ?? 0)
            guard var running = probe else { continue }
            running.bytes += size
            running.packets += 1
            probe = running.bytes >= running.probe.bytes && running.packets >= running.probe.packets ? nil : running
        }
    }

    private func send(bytes: Int, probe: UInt16) {
        let sequence = ring.append(bytes: bytes, probe: probe, now: time)
        numbered += 1
        sentBytes += bytes
        sentPackets += 1
        inFlight[numbered] = (sequence, bytes)
        link.send(numbered, bytes: bytes, at: now)
        if numbered % 4_096 == 0 { inFlight = inFlight.filter { $0.key > numbered - 8_192 } }
    }

    private func report() {
        if options.isREMB {
            if let bitrate = remote.take(now: now) { rembs.append((now + options.link.delay, bitrate)) }
            while let first = rembs.first, first.at <= now {
                rembs.removeFirst()
                estimator.receive(remb: Bitrate(bitsPerSecond: Int64(first.bitrate)), now: time)
            }
            return
        }
        while let due = maker.take(now: remoteTime(now)) {
            var bytes: [UInt8] = []
            due.write(into: &bytes)
            if Double(random.below(10_000)) / 10_000 >= feedbackLoss {
                feedback.append((now + options.link.delay, bytes))
            }
        }
        while let first = feedback.first, first.at <= now {
            feedback.removeFirst()
            first.bytes.withUnsafeBytes { bytes in
                guard let packet = try? RTCPPacket(parsing: bytes), let parsed = try? TransportCC(parsing: packet)
                else {
                    return
                }
                withRing { estimator.receive(parsed, sent: $0, now: time) }
            }
        }
    }
}
