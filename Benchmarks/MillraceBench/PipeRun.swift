import CLinuxNet
import Foundation
import Glibc
import MediaBase
import MediaEngine
import SRTP

/// Two relays in this process. The subscribers are at the relay of the publishers, or at the other one, which gets the streams by a pipe.
struct PipeRun {
    /// Relay of the subscribers, and the pipe to it.
    enum Route: String, Codable, CaseIterable {
        case direct
        case pipe
        /// A pipe that loses 1 % of the packets in both directions.
        case lossyPipe

        var loss: Double { self == .lossyPipe ? 0.01 : 0 }
    }

    struct Result: Codable {
        var route: Route
        /// CPU time of the process per published packet, in nanoseconds: outside of the kernel, and in all.
        var userNanoseconds: Double
        var nanoseconds: Double
        var published: UInt64
        var sink: StampedSinkReport
        /// Retransmissions that the second relay received.
        var retransmissions: UInt64
    }

    var shape: Shape
    var suite: SRTPSuite
    var seconds: Double
    var base: Int
    private static let warmUp = 2.0
    private var lossyPort: Int { base + shape.subscribers }

    func run(_ route: Route) async throws -> Result {
        let origin = try MediaEngine(configuration: TransportsRun.configuration)
        let mirror = try MediaEngine(configuration: TransportsRun.configuration)
        defer {
            origin.stop()
            mirror.stop()
        }
        let sink = try Peer("stamped-sink", sinks: 1, base: base)
        let path = try Peer("lossy-path", sinks: 1, base: lossyPort)
        let peer = try Peer(sinks: shape.subscribers - 1, base: base + 1)
        defer { for process in [sink, path, peer] { process.stop() } }
        for process in [sink, path] { _ = try process.line() }

        var order = try await RelayRun.openPublishers(
            shape, suite: suite, engine: origin, seconds: seconds + Self.warmUp + 0.5)
        order.isStamped = true
        if route != .direct { try await open(route, from: origin, to: mirror, path) }
        let keys = try await RelayRun.openSubscribers(
            shape, suite: suite, engine: route == .direct ? origin : mirror, base: base)
        try sink.begin(StampedSinkOrder(suite: suite.sdesName, key: keys[0].base64, warmUp: Self.warmUp))
        try peer.begin(order)
        try await Task.sleep(for: .seconds(Self.warmUp))
        let before = await origin.counters().packetsReceived
        let start = Self.usage()
        try await Task.sleep(for: .seconds(seconds))
        let end = Self.usage()
        let published = await origin.counters().packetsReceived - before
        _ = try peer.end()
        try await Task.sleep(for: .milliseconds(300))
        try sink.begin("end")
        let report = try JSONDecoder().decode(StampedSinkReport.self, from: Data(sink.line().utf8))
        return Result(
            route: route, userNanoseconds: (end.user - start.user) / Double(max(1, published)),
            nanoseconds: (end.all - start.all) / Double(max(1, published)), published: published, sink: report,
            retransmissions: await mirror.counters().rtxReceived)
    }

    private func open(_ route: Route, from origin: MediaEngine, to mirror: MediaEngine, _ path: Peer) async throws {
        let keys = PipeKeys.random(for: suite)
        var receiver = try await mirror.openPipeReceiver(session: "bench", keys)
        if route.loss > 0 {
            try path.begin("\(receiver.port) \(route.loss)")
            receiver = PipeEnd(
                id: receiver.id, address: receiver.address, port: UInt16(lossyPort), ssrc: receiver.ssrc,
                sendsFeedback: receiver.sendsFeedback)
        }
        let sender = try await origin.openPipeSender(session: "bench", keys, to: receiver)
        let description = try await origin.pipeDescription(session: "bench")
        let tracks = try await mirror.mirror(description, receiver.id, session: "bench", from: sender)
        guard tracks.count == shape.publishers else { throw BenchError("\(tracks.count) tracks in the pipe") }
        try await origin.sendThroughPipe(tracks, sender.id, session: "bench")
    }

    /// Returns the CPU time of this process so far, in nanoseconds.
    private static func usage() -> (user: Double, all: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        return (nanoseconds(usage.ru_utime), Double(millrace_process_cpu_ns()))
    }
}
