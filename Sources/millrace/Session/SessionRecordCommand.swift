import ArgumentParser
import Foundation

/// `millrace session record start|stop|status SESSION STREAM`.
struct SessionRecordCommand: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case start
        case stop
        case status
    }

    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Starts and stops the recording of a stream.",
        discussion: """
            The relay writes a WebM file into its recording.directory; millrace decode reads it.

            Examples:
              millrace session record start demo cam
              millrace session record stop demo cam
            """)

    @Argument(help: "start, stop or status") var action: Action
    @OptionGroup var options: SessionOptions
    @Argument(help: ArgumentHelp("id of the stream", valueName: "stream")) var stream: String

    private struct Status: Decodable {
        var phase: String
        var files: [String]
        var bytes: Int64
        var videoFrames: UInt64
        var audioPackets: UInt64
        var lostPackets: UInt64
        var error: String?
    }

    func run() async throws {
        let client = try options.relay.relay()
        let path = client.path(options.session, "streams", stream, "record")
        let data =
            action == .status
            ? try await client.send("GET", path)
            : try await client.send("POST", path, body: ["action": action.rawValue])
        if options.relay.json {
            print(String(decoding: data, as: UTF8.self))
            return
        }
        guard let status = try? JSONDecoder().decode(Status.self, from: data) else { throw ExitCode.failure }
        print(
            "\(status.phase): \(status.bytes) bytes, \(status.videoFrames) frames, \(status.audioPackets) audio packets, \(status.lostPackets) lost"
        )
        for file in status.files { print(file) }
        if let error = status.error { print(error) }
    }
}
