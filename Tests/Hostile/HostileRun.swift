import CLinuxNet
import DTLS
import LoadGenerator
import MediaBase
import MillraceTestKit
import SDP

/// Sends hostile packets to a relay until the wanted number is reached, as fast as the relay takes them.
final class HostileRun {
    private let relay: RelayControl
    private let packets: UInt64
    /// Maximum packets per second; 0: as many as the relay accepts.
    private let rate: UInt64
    private let ports: [UInt16]
    private let media: SampleMedia
    private let identity: DTLSIdentity
    private var random: SeededGenerator
    private var slots: [HostileSlot]
    private var turns: [Int]
    private(set) var counts = PacketCounts()
    private(set) var restarts: UInt64 = 0
    private var received: Double = 0
    private var lost: Double = 0
    private let began = HostileRun.now

    /// Packets per turn, and packets in flight before the run reads the relay's count.
    private static let burst = 16
    private static let window: UInt64 = 1_000
    private static let lifetimes = 2_000...12_000

    init(relay: RelayControl, packets: UInt64, rate: UInt64, seed: UInt64, sessions: Int, ports: [UInt16]) throws {
        self.relay = relay
        self.packets = packets
        self.rate = rate
        self.ports = ports
        random = SeededGenerator(seed: seed)
        media = try SampleMedia()
        identity = try DTLSIdentity.generate()
        let slots = HostileSlot.all(sessions: sessions)
        self.slots = slots
        turns = HostileSlot.turns(of: slots)
    }

    static var now: MediaTime { .nanoseconds(millrace_monotonic_ns()) }

    /// - Parameter progress: called about every five seconds.
    /// - Throws: if the relay does not answer.
    func run(progress: (String) -> Void) async throws {
        let start = try await relay.metrics()
        received = start["millrace_datagrams_received_total"] ?? 0
        var checked = counts.total
        var told = Self.now
        while counts.total < packets {
            let index = turns[random.below(turns.count)]
            let now = Self.now
            await prepare(index, now: now)
            for slot in slots { slot.peer?.service(now: now) }
            guard let peer = slots[index].peer, peer.isReady else {
                _ = millrace_wait([], 0, 200_000)
                continue
            }
            let before = counts.total
            for _ in 0..<Self.burst where counts.total < packets { peer.send(using: &random, count: &counts) }
            slots[index].sent += Int(counts.total - before)
            if counts.total - checked >= Self.window {
                checked = counts.total
                try await pace()
                await restartOne()
            }
            if rate > 0 {
                let due = began + .nanoseconds(Int64(clamping: counts.total * 1_000_000_000 / rate))
                _ = millrace_wait([], 0, min(max(0, (due - Self.now).rawValue), 50_000_000))
            }
            if now - told >= .seconds(5) {
                told = now
                progress(line)
            }
        }
        try await pace()
        for index in slots.indices {
            await slots[index].peer?.close(relay)
            slots[index].peer = nil
        }
    }

    /// Opens the peer of a slot, and replaces a peer that has sent its share.
    private func prepare(_ index: Int, now: MediaTime) async {
        if let peer = slots[index].peer {
            guard peer.isOver || slots[index].sent >= slots[index].lifetime else { return }
            await peer.close(relay)
            slots[index].peer = nil
        }
        guard now >= slots[index].retry else { return }
        do {
            slots[index].peer = try await open(slots[index])
            slots[index].opened += 1
            slots[index].sent = 0
            slots[index].lifetime =
                Self.lifetimes.lowerBound + random.below(Self.lifetimes.upperBound - Self.lifetimes.lowerBound)
        } catch {
            slots[index].refusals += 1
            slots[index].lastRefusal = "\(error)"
            slots[index].retry = now + .milliseconds(300)
        }
    }

    private func open(_ slot: HostileSlot) async throws -> any HostilePeer {
        switch slot.sender {
        case .noise: return try NoiseSource(ports: ports)
        case .brokenStreams: return BrokenStreams(port: ports.last ?? 0)
        case .plainPublisher(let stream):
            return try await PlainPublisher.open(
                relay, session: slot.session, stream: stream, media: media, using: &random)
        case .plainSubscriber:
            return try await PlainSubscriber.open(relay, session: slot.session, using: &random)
        case .webRTC(let role, let habit, let stream):
            return try await WebRTCPeer.open(
                relay, role, habit: habit, session: slot.session, stream: stream, identity: identity, media: media,
                now: Self.now, using: &random)
        }
    }

    /// Waits until the relay has read the sent packets. Datagrams that its sockets dropped are not awaited.
    private func pace() async throws {
        var before = received
        for _ in 0..<50 {
            let metrics = try await relay.metrics()
            received = metrics["millrace_datagrams_received_total"] ?? received
            guard Double(counts.datagrams) - received - lost > 500 else { return }
            let now = Self.now
            for slot in slots { slot.peer?.service(now: now) }
            if received == before {
                lost = Double(counts.datagrams) - received
                return
            }
            before = received
            _ = millrace_wait([], 0, 5_000_000)
        }
    }

    /// Restarts ICE of a random WebRTC peer.
    private func restartOne() async {
        let peers = slots.compactMap { $0.peer as? WebRTCPeer }.filter { $0.isReady && !$0.isOver }
        guard let peer = peers.randomElement(using: &random), let location = peer.location else { return }
        let local = ICECredentials.random(using: &random)
        guard let answer = await relay.restart(location, ufrag: local.ufrag, password: local.password),
            let remote = ICECredentials(ufrag: answer.ufrag, password: answer.password)
        else { return }
        restarts += 1
        peer.restart(local: local, remote: remote, now: Self.now)
    }

    private var line: String {
        let seconds = max(1, (Self.now - began).rawValue / 1_000_000_000)
        return "\(counts.total) of \(packets) packets, \(counts.authentic) under valid keys, "
            + "\(counts.total / UInt64(seconds)) a second"
    }

    var report: HostileReport {
        var report = HostileReport()
        for kind in PacketKind.allCases { report.sent[kind.rawValue] = counts[kind] }
        report.total = counts.total
        report.authentic = counts.authentic
        report.restarts = restarts
        report.opened = slots.reduce(0) { $0 + $1.opened }
        report.refused = slots.reduce(0) { $0 + $1.refusals }
        report.refusals = Array(Set(slots.map(\.lastRefusal).filter { !$0.isEmpty })).sorted()
        report.seconds = Double((Self.now - began).rawValue) / 1e9
        return report
    }
}
