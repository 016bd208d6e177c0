import ArgumentParser
import CallCounter
import Foundation
import MediaBase
import MediaEngine
import SRTP

struct CallsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "Counts heap allocations, retains and locks of the worker's thread while it forwards; more than the limit exits with 1.")

    @Option(help: "Most allocations, retains or locks a thousand forwarded packets.") var limit = 1.0
    @Option var base = 26_000
    @Flag var json = false

    func run() async throws {
        var failed = false
        for suite in [SRTPSuite.aesCM128HMACSHA1_80, .aeadAES128GCM] {
            for isVideo in [true, false] {
                let shape = Shape(
                    name: isVideo ? "video" : "audio", publishers: isVideo ? 1 : 10, subscribers: 100, isVideo: isVideo,
                    payload: isVideo ? 1200 : 120, burst: isVideo ? 10 : 1, perSecond: isVideo ? 30 : 50)
                var configuration = EngineConfiguration()
                configuration.plainPort = 0
                configuration.bindAddress = "127.0.0.1"
                let engine = try MediaEngine(configuration: configuration)
                defer { engine.stop() }
                let peer = try Peer(sinks: shape.subscribers, base: base)
                defer { peer.stop() }
                try peer.begin(try await RelayRun.open(shape, suite: suite, engine: engine, base: base, seconds: 4))
                try await Task.sleep(for: .seconds(1))
                call_counter_start()
                let packets = await engine.counters().packetsForwarded
                let before = call_counter_read()
                try await Task.sleep(for: .seconds(2))
                let after = call_counter_read()
                let forwarded = Double(await engine.counters().packetsForwarded - packets)
                _ = try peer.end()
                guard forwarded > 1000 else { throw BenchError("only \(forwarded) packets were forwarded") }
                let each = [
                    Double(after.allocations - before.allocations), Double(after.retains - before.retains),
                    Double(after.locks - before.locks),
                ].map { $0 / forwarded * 1000 }
                if json {
                    print(
                        "{\"suite\":\"\(suite.sdesName)\",\"load\":\"\(shape.name)\",\"packets\":\(Int(forwarded)),\"allocations_per_1000\":\(each[0]),\"retains_per_1000\":\(each[1]),\"locks_per_1000\":\(each[2])}"
                    )
                } else {
                    print(
                        String(
                            format: "%@ %@: %.3f allocations, %.3f retains, %.3f locks per 1000 of %d forwarded packets",
                            suite.sdesName as NSString, shape.name as NSString, each[0], each[1], each[2], Int(forwarded)))
                }
                if each.contains(where: { $0 > limit }) { failed = true }
            }
        }
        if failed { throw ExitCode(1) }
    }
}
