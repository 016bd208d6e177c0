import ArgumentParser
import FFmpegBridge

/// `millrace ingest SESSION --from URL`: publishes a source that ffmpeg receives.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Publishes RTMP, SRT, RTSP or a file in a session, through ffmpeg.",
        discussion: """
            Opens a plain transport of the relay and runs ffmpeg, until Ctrl-C. When ffmpeg ends, it is started again
            after 1 to 30 s. The stream's key is an argument of ffmpeg, which other users of this machine can read.

            --video copy forwards H.264 without encoding it again; the source must have no B frames and a key frame
            every 1 to 2 s. Otherwise the video is encoded, which uses about one core for 720p30.

            Examples:
              millrace ingest demo --stream obs --listen --from rtmp://0.0.0.0:1935/live/key
              millrace ingest demo --stream obs --from "srt://0.0.0.0:9000?mode=listener" --video copy
              millrace ingest demo --stream entrance --from rtsp://camera.example/stream --video copy --no-audio
              millrace ingest demo --stream film --from film.mp4 --loop
            """)

    @OptionGroup var options: SessionOptions
    @Option(help: ArgumentHelp("name of the stream in the session", valueName: "stream")) var stream = "ingest"
    @Option(help: ArgumentHelp("rtmp:, srt:, rtsp:, http:, udp: or tcp: URL, or a file", valueName: "source"))
    var from: String
    @Flag(help: "wait for an RTMP sender at the URL's port instead of connecting") var listen = false
    @Flag(help: "begin a file again at its end") var loop = false
    @Option(help: "vp8, h264, or copy: H.264 of the source, without encoding") var video = IngestSource.Video.vp8
    @Flag(help: "leave the video out") var noVideo = false
    @Flag(help: "leave the audio out") var noAudio = false
    @Option(help: ArgumentHelp("rate of encoded video in kilobits per second, 100 to 20000", valueName: "number"))
    var videoRate = 2_500
    @Option(help: ArgumentHelp("password of the session", valueName: "text")) var password: String?
    @Option(help: ArgumentHelp("path of ffmpeg", valueName: "path")) var ffmpeg = "ffmpeg"

    private var source: IngestSource? {
        IngestSource(
            from, listens: listen, video: noVideo ? nil : video, hasAudio: !noAudio, videoKilobits: videoRate,
            loops: loop)
    }

    func validate() throws {
        guard !noVideo || !noAudio else { throw ValidationError("--no-video and --no-audio exclude each other") }
        guard (100...20_000).contains(videoRate) else { throw ValidationError("--video-rate is 100 to 20000") }
        guard options.relay.app == nil else {
            throw ValidationError("--app does not apply: a plain transport belongs to the relay's default app")
        }
        guard source != nil else {
            throw ValidationError(
                "\"\(from)\" cannot be read: use a file or one of \(IngestSource.schemes.sorted().joined(separator: ", "));"
                    + " --listen needs an rtmp: URL, --loop a file")
        }
    }

    func run() async throws {
        guard let source else { throw ExitCode.failure }
        await IngestRun(
            client: try options.relay.relay(), session: options.session, stream: stream, password: password,
            source: source, executable: ffmpeg, program: SupervisedProgram(name: "ffmpeg", json: options.relay.json)
        ).run()
    }
}

extension IngestSource.Video: ExpressibleByArgument {}
