import ArgumentParser
import Foundation

/// Sends hostile packets to a relay that runs elsewhere: noise, and above all forged packets under valid keys.
///
/// `Tests/Interop/run_hostile.py` starts the relay, reads its canvases and recordings in the meantime, and checks that it still serves.
@main
struct MillraceHostile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "millrace-hostile", abstract: "Sends hostile packets to a relay.",
        discussion: "Status 1 if the relay stops answering. Only for relays of your own: it sends as fast as they take."
    )

    @Option(help: "HTTP address of the relay.") var url = "http://127.0.0.1:7880"
    @Option(help: "Packets to send.") var packets: UInt64 = 20_000
    @Option(help: "Packets a second at most; 0: as many as the relay takes.") var rate: UInt64 = 0
    @Option(help: "Seed of all random choices but those of keys.") var seed: UInt64 = 1
    @Option(help: "Sessions with senders of all kinds.") var sessions = 2
    @Option(help: "UDP port of plain transports.") var mediaPort: UInt16 = 7982
    @Option(help: "UDP and TCP port of WebRTC.") var webrtcPort: UInt16 = 7882
    @Option(
        help: "Acknowledges this number of packets with reference times that rise by 2^23 - 1 units each, and ends.")
    var feedback: UInt64 = 0
    @Option(help: "Publishes valid media with one kind of damage, and ends: jumps or damage.") var scenario:
        Scenario.Kind?
    @Flag(help: "Prints the report as JSON.") var json = false

    func run() async throws {
        let relay = try RelayControl(address: url)
        if feedback > 0 {
            let flood = try FeedbackFlood(relay: relay, seed: seed)
            let sent = try await flood.run(blocks: feedback)
            print("{\"blocks\": \(sent)}")
            return
        }
        if let scenario {
            try await Scenario(relay: relay, seed: seed).run(scenario)
            return
        }
        let run = try HostileRun(
            relay: relay, packets: packets, rate: rate, seed: seed, sessions: max(1, sessions),
            ports: [mediaPort, mediaPort + 1, webrtcPort])
        do {
            try await run.run { line in FileHandle.standardError.write(Data((line + "\n").utf8)) }
        } catch {
            FileHandle.standardError.write(Data("the relay stopped answering: \(error)\n".utf8))
            throw ExitCode(1)
        }
        let report = run.report
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            print("\(report.total) packets, \(report.authentic) under valid keys, in \(Int(report.seconds)) s")
        }
    }
}
