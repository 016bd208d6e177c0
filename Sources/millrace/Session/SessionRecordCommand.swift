import ArgumentParser
import Foundation

/// `millrace session record start|stop|status SESSION [STREAM]`.
struct SessionRecordCommand: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case start
        case stop
        case status
    }

    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Starts and stops the recording of a session or of one stream.",
        discussion: """
            The relay writes a WebM file for each stream (Matroska for H.264) into its recording.directory; millrace decode reads it. \
            Without STREAM all streams of the session are recorded, also those that are published later. When the session is over, or its \
            recording is stopped, the relay makes one file of all of them, session.TIME.mkv in the same folder, unless \
            recording.compose is false. status shows it; millrace compose makes it again, or a mixed video.

            Examples:
              millrace session record start demo
              millrace session record stop demo
              millrace session record start demo cam
            """)

    @Argument(help: "start, stop or status") var action: Action
    @OptionGroup var options: SessionOptions
    @Argument(help: ArgumentHelp("id of a stream (default: all streams)", valueName: "stream")) var stream: String?

    private struct Stream: Decodable {
        var stream: String
        var phase: String
        var files: [String]
        var bytes: Int64
        var videoFrames: UInt64
        var audioPackets: UInt64
        var lostPackets: UInt64
        var error: String?
    }

    private struct Session: Decodable {
        struct Composed: Decodable {
            var phase: String
            var file: String?
            var bytes: Int64
            var duration: Double
            var warnings: Int
            var error: String?
        }

        var isRecorded: Bool
        var streams: [Stream]
        var composed: [Composed]
    }

    func run() async throws {
        let client = try options.relay.relay()
        let path =
            stream.map { client.path(options.session, "streams", $0, "record") }
            ?? client.path(options.session, "record")
        let data =
            action == .status
            ? try await client.send("GET", path)
            : try await client.send("POST", path, body: ["action": action.rawValue])
        if options.relay.json {
            print(String(decoding: data, as: UTF8.self))
        } else if stream != nil {
            guard let status = try? JSONDecoder().decode(Stream.self, from: data) else { throw ExitCode.failure }
            show(status)
        } else {
            guard let session = try? JSONDecoder().decode(Session.self, from: data) else { throw ExitCode.failure }
            show(session)
        }
    }

    private func show(_ status: Stream) {
        print(
            "\(status.phase): \(status.bytes) bytes, \(status.videoFrames) frames, \(status.audioPackets) audio packets, \(status.lostPackets) lost"
        )
        for file in status.files { print(file) }
        if let error = status.error { print(error) }
    }

    private func show(_ session: Session) {
        print(session.isRecorded ? "all streams are recorded" : "the session is not recorded as a whole")
        if !session.streams.isEmpty {
            print(
                CommandOutput.table(
                    ["STREAM", "PHASE", "BYTES", "FRAMES", "AUDIO", "LOST", "FILE"],
                    session.streams.map { status in
                        [
                            CommandOutput.plain(status.stream), status.phase, "\(status.bytes)",
                            "\(status.videoFrames)",
                            "\(status.audioPackets)", "\(status.lostPackets)", status.files.last ?? status.error ?? "-",
                        ]
                    }))
        }
        for composed in session.composed {
            if let file = composed.file {
                let damage = composed.warnings > 0 ? ", \(composed.warnings) warnings" : ""
                print("\(file): \(Int(composed.duration)) s, \(composed.bytes) bytes\(damage)")
            } else {
                print("one file of the session: \(composed.error ?? composed.phase)")
            }
        }
    }
}
