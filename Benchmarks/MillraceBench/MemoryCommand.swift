import ArgumentParser
import CLinuxNet
import Foundation
import MediaBase
import MediaEngine
import SRTP

struct MemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory", abstract: "Resident memory of the relay per additional subscriber.")

    @Option(help: "Fewest subscribers.") var from = 10
    @Option(help: "Most subscribers.") var to = 500
    @Option(help: "Maximum KiB per subscriber, else exits with 1. 16 for plain ones, 64 for others.") var limit: Double?
    @Option(help: "plain, webrtc, or half-open: WebRTC left in the middle of the DTLS handshake.") var transport =
        "plain"
    @Option(help: "cm, gcm or both; the first finds an empty heap, the second what the first left.") var suites = "both"
    @Option var base = 26_000
    @Flag var json = false

    func run() async throws {
        guard let kind = Sinks.Kind(rawValue: transport) else { throw ValidationError("--transport: \(transport)") }
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM]
        where suites == "both" || (suites == "gcm") == suite.isAEAD {
            var configuration = TransportsRun.configuration
            configuration.webRTC.connectTimeout = .seconds(60)
            let engine = try MediaEngine(configuration: configuration)
            defer { engine.stop() }
            let sinks = try Sinks(count: kind == .plain ? 0 : to, base: base)
            defer { sinks.stop() }
            let peer = try Peer(sinks: kind == .plain ? to : 0, base: base)
            defer { peer.stop() }
            // Audio and video flow to each subscriber while memory is read, so that everything allocated on first use is included.
            var request = PlainTransportRequest(direction: .publish, session: "memory")
            request.stream = "s"
            request.suite = suite
            let publisher = try await engine.openPlain(request)
            let order = PeerOrder(
                publishers: [publisher.audio!, publisher.video!].map {
                    .init(
                        ssrc: $0.ssrc, payloadType: $0.payloadType, port: $0.port, suite: suite.sdesName,
                        key: publisher.clientKey.base64, isVideo: $0.codec == "VP8")
                }, payload: 1000, burst: 4, perSecond: 30, seconds: kind == .plain ? 12 : 20, together: true)
            try peer.begin(order)
            try await subscribe(engine, 0..<from, kind, suite, sinks)
            // Waits until the rings are full, which subscribers share.
            try await Task.sleep(for: .seconds(5))
            let low = millrace_resident_bytes()
            try await subscribe(engine, from..<to, kind, suite, sinks)
            try await Task.sleep(for: .seconds(3))
            let high = millrace_resident_bytes()
            let counters = await engine.counters()
            _ = try peer.end()
            let each = (Double(high) - Double(low)) / Double(to - from) / 1024
            if json {
                print("{\"suite\":\"\(suite.sdesName)\",\"from\":\(from),\"to\":\(to),\"kib_per_subscriber\":\(each)}")
            } else {
                print(
                    String(
                        format:
                            "%@: %.2f KiB a subscriber (RSS %.1f MiB with %d, %.1f MiB with %d; %d packets forwarded)",
                        suite.sdesName as NSString, each, Double(low) / 1_048_576, from, Double(high) / 1_048_576, to,
                        Int(counters.packetsForwarded)))
            }
            if each > limit ?? (kind == .plain ? 16 : 64) { throw ExitCode(1) }
        }
    }

    private func subscribe(
        _ engine: MediaEngine, _ range: Range<Int>, _ kind: Sinks.Kind, _ suite: SRTPSuite, _ sinks: Sinks
    ) async throws {
        guard kind == .plain else {
            return try await sinks.connect(
                range, kind, to: "s", session: "memory", kinds: [.audio, .video], suite: suite, engine: engine)
        }
        for i in range {
            var request = PlainTransportRequest(direction: .subscribe, session: "memory")
            request.stream = "s"
            request.suite = suite
            request.address = "127.0.0.1"
            request.rtcpMux = true
            request.audio = PlainTrackRequest(port: UInt16(base + i))
            request.video = PlainTrackRequest(port: UInt16(base + i))
            _ = try await engine.openPlain(request)
        }
    }
}
