import ArgumentParser
import ControlServer
import Foundation
import HTTPCalls

/// `millrace live SESSION --to URL`: pushes streams of a session to other servers.
struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Pushes a stream of a session to another server by WHIP.",
        discussion: """
            Without --to and --stop, lists the live streams of the session. The relay pushes until the stream ends or
            --stop; if the server is lost, it tries again.

            Examples:
              millrace live demo --stream cam --to https://live.example/whip/key
              millrace live demo
              millrace live demo --stop live1
            """)

    @OptionGroup var options: SessionOptions
    @Option(help: ArgumentHelp("WHIP endpoint: an https: URL", valueName: "url")) var to: String?
    @Option(help: ArgumentHelp("id of the stream (default: the only one of the session)", valueName: "stream"))
    var stream: String?
    @Option(
        help: ArgumentHelp("bearer token for the WHIP endpoint; also MILLRACE_LIVE_TOKEN", valueName: "token"))
    var liveToken: String?
    @Flag(help: "allow an http: URL, which sends the token unencrypted") var allowHTTP = false
    @Option(help: ArgumentHelp("end the live stream with this id", valueName: "id")) var stop: String?

    private struct List: Decodable {
        struct Live: Decodable {
            var id: String
            var stream: String
            var isLive: Bool
        }
        var live: [Live]
    }

    private struct Streams: Decodable {
        struct Stream: Decodable { var id: String }
        var streams: [Stream]
    }

    private struct Started: Decodable { var id: String }

    func validate() throws {
        guard to == nil || stop == nil else { throw ValidationError("--to and --stop exclude each other") }
        guard let to else { return }
        guard let target = HTTPTarget(to) else {
            throw ValidationError("\"\(to)\" is not a WHIP endpoint, such as https://live.example/whip/key (--to)")
        }
        guard target.isSecure || allowHTTP else {
            throw ValidationError("an http: URL sends the token unencrypted; use https:, or --allow-http")
        }
    }

    func run() async throws {
        let client = try options.relay.relay()
        if let to {
            try await start(to, client)
        } else if let stop {
            try await client.send("DELETE", client.path(options.session, "live", stop))
            if options.relay.json { print("{}") }
        } else {
            let (list, json) = try await client.get(List.self, client.path(options.session, "live"))
            if options.relay.json { return print(String(decoding: json, as: UTF8.self)) }
            for live in list.live { print("\(live.id) \(live.stream) \(live.isLive ? "live" : "connecting")") }
        }
    }

    private func start(_ to: String, _ client: AdminClient) async throws {
        var body: [String: Any] = ["to": to, "stream": try await streamID(client), "allowHTTP": allowHTTP]
        body["token"] = RelayOptions.text(liveToken, "MILLRACE_LIVE_TOKEN")
        let data = try await client.send("POST", client.path(options.session, "live"), body: body)
        if options.relay.json { return print(String(decoding: data, as: UTF8.self)) }
        guard let started = try? JSONDecoder().decode(Started.self, from: data) else { throw ExitCode.failure }
        print(started.id)
    }

    /// Returns the named stream, or the only one of the session.
    private func streamID(_ client: AdminClient) async throws -> String {
        if let stream { return stream }
        let (all, _) = try await client.get(Streams.self, client.path(options.session, "streams"))
        guard all.streams.count == 1, let only = all.streams.first else {
            CommandOutput.error("the session has \(all.streams.count) streams; name one with --stream")
            throw ExitCode.failure
        }
        return only.id
    }
}
