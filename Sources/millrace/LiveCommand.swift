import ArgumentParser
import ControlServer
import FFmpegBridge
import Foundation
import HTTPCalls

/// `millrace live SESSION --to URL`: sends streams of a session to other servers.
struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Sends a session to another server by WHIP, RTMP or SRT, or to a directory as HLS.",
        discussion: """
            Without --stream, sends the session's programme: the video of the active speaker or of a shared screen, and the
            mixed audio of all.

            An https: URL is a WHIP endpoint: the relay pushes to it, without encoding video again, until the stream or the
            session ends, or --stop; if the server is lost, it tries again. Without --to and --stop, lists these live streams.

            rtmp:, rtmps: and srt: URLs and a directory need H.264 and AAC. This command then runs ffmpeg until Ctrl-C, and
            starts it again after 1 to 30 s when it ends. 720p30 uses about one core.

            Examples:
              millrace live demo --to https://live.example/whip/key
              millrace live demo --stream cam --to https://live.example/whip/key
              millrace live demo
              millrace live demo --stop live1
              millrace live demo --to rtmp://live.example/app/key
              millrace live demo --stream cam --to "srt://live.example:9000"
              millrace live demo --to /var/www/hls --size 1920x1080 --video-rate 4500
            """)

    @OptionGroup var options: SessionOptions
    @Option(help: ArgumentHelp("https:, rtmp:, rtmps: or srt: URL, or a directory for HLS", valueName: "url"))
    var to: String?
    @Option(
        help: ArgumentHelp(
            "id of the stream (default: the session's programme)", valueName: "stream"))
    var stream: String?
    @Option(
        help: ArgumentHelp("bearer token for the WHIP endpoint; also MILLRACE_LIVE_TOKEN", valueName: "token"))
    var liveToken: String?
    @Flag(help: "allow an http: URL, which sends the token unencrypted") var allowHTTP = false
    @Option(help: ArgumentHelp("end the live stream with this id", valueName: "id")) var stop: String?
    @Option(help: ArgumentHelp("size of H.264 video (default: 1280x720)", valueName: "WxH")) var size: String?
    @Option(help: ArgumentHelp("frames per second of H.264 video, 5 to 60 (default: 30)", valueName: "number"))
    var frameRate: Int?
    @Option(
        help: ArgumentHelp(
            "rate of H.264 video in kilobits per second, 100 to 20000 (default: 2500)", valueName: "number"))
    var videoRate: Int?
    @Option(help: ArgumentHelp("path of ffmpeg", valueName: "path")) var ffmpeg = "ffmpeg"

    private static let sides = 160...3_840
    private static let frameRates = 5...60
    private static let videoRates = 100...20_000

    private struct List: Decodable {
        struct Live: Decodable {
            var id: String
            var stream: String?
            var isLive: Bool
        }
        var live: [Live]
    }

    private struct Started: Decodable { var id: String }

    func validate() throws {
        guard to == nil || stop == nil else { throw ValidationError("--to and --stop exclude each other") }
        guard let to else { return }
        guard HTTPTarget(to) == nil else { return try validateWHIP(to) }
        guard LiveDestination(to) != nil else {
            throw ValidationError(
                "\"\(to)\" is neither an https:, rtmp:, rtmps: or srt: URL nor a directory that exists (--to)")
        }
        guard options.relay.app == nil else {
            throw ValidationError("--app does not apply: the session's programme is read from the relay's default app")
        }
        _ = try encoding()
    }

    private func validateWHIP(_ to: String) throws {
        guard let target = HTTPTarget(to), target.isSecure || allowHTTP else {
            throw ValidationError("an http: URL sends the token unencrypted; use https:, or --allow-http")
        }
        guard size == nil, frameRate == nil, videoRate == nil else {
            throw ValidationError("--size, --frame-rate and --video-rate do not apply: WHIP sends the stream unchanged")
        }
    }

    private func encoding() throws -> LiveDestination.Encoding {
        var encoding = LiveDestination.Encoding()
        if let size {
            let sides = size.split(separator: "x").map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1], Self.sides.contains(width),
                Self.sides.contains(height), width % 2 == 0, height % 2 == 0
            else { throw ValidationError("--size is two even numbers from 160 to 3840, such as 1280x720") }
            (encoding.width, encoding.height) = (width, height)
        }
        if let frameRate {
            guard Self.frameRates.contains(frameRate) else { throw ValidationError("--frame-rate is 5 to 60") }
            encoding.framesPerSecond = frameRate
        }
        if let videoRate {
            guard Self.videoRates.contains(videoRate) else { throw ValidationError("--video-rate is 100 to 20000") }
            encoding.videoKilobits = videoRate
        }
        return encoding
    }

    func run() async throws {
        let client = try options.relay.relay()
        if let to, let destination = LiveDestination(to) {
            let source = stream.map { "/streams/\(HTTPTarget.percentEncoded($0))/live.mkv" } ?? "/live.webm"
            await LiveEncoder(
                client: client, path: "/v1/sessions/\(HTTPTarget.percentEncoded(options.session))\(source)",
                destination: destination, encoding: try encoding(), executable: ffmpeg,
                program: SupervisedProgram(name: "ffmpeg", json: options.relay.json)
            ).run()
        } else if let to {
            try await start(to, client)
        } else if let stop {
            try await client.send("DELETE", client.path(options.session, "live", stop))
            if options.relay.json { print("{}") }
        } else {
            let (list, json) = try await client.get(List.self, client.path(options.session, "live"))
            if options.relay.json { return print(String(decoding: json, as: UTF8.self)) }
            for live in list.live {
                print("\(live.id) \(live.stream ?? "programme") \(live.isLive ? "live" : "connecting")")
            }
        }
    }

    private func start(_ to: String, _ client: AdminClient) async throws {
        var body: [String: Any] = ["to": to, "allowHTTP": allowHTTP]
        body["stream"] = stream
        body["token"] = RelayOptions.text(liveToken, "MILLRACE_LIVE_TOKEN")
        let data = try await client.send("POST", client.path(options.session, "live"), body: body)
        if options.relay.json { return print(String(decoding: data, as: UTF8.self)) }
        guard let started = try? JSONDecoder().decode(Started.self, from: data) else { throw ExitCode.failure }
        print(started.id)
    }
}
