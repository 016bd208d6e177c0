import ArgumentParser
import Foundation
import LoadGenerator
import RelayServer

/// `millrace load`: runs synthetic participants and reports what they measured.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load a relay with synthetic participants, and report what they measure.",
        discussion: """
            Publishers encode in real time: VP8 video with frame counter and capture time in a machine-readable bar, and an \
            Opus tone; both are sent as SRTP. Subscribers count every packet; a sample of them decrypts and decodes, \
            and reads the bar, which gives latency, missed counters, freezes and PSNR. --publishers and --subscribers are per \
            session; subscriber i receives the stream of publisher i modulo --publishers.

            Publishers share one video encoder, each with its own SSRC, keys and send times (--distinct-video gives each its \
            own), and at most eight different tones. --loss drops the same packets for the same --seed. \
            --duration counts from the end of --ramp. A freeze is more than 200 ms, or three frame intervals, without a new frame.

            The generator measures itself: if it sent late, dropped packets, or used more than 80 % of a core in a thread, the report says \
            that the generator is the bottleneck. Progress goes to standard error, the report to standard output. Ctrl-C ends \
            the run early with a report of what was measured so far. --report and --timeline also store values over time, a point a \
            second and at most 2,048 points: a longer run has fewer points per minute.

            Exit code: 0 fine, 1 the run failed or a --max or --min limit is not met, 2 bad usage.

            With --transport webrtc participants are WebRTC clients: an offer is posted to the relay's WHIP or WHEP endpoint, then follow \
            ICE and the DTLS handshake. The join time is from the offer until media can flow. Lost packets are requested again, on the \
            retransmission stream if the relay supports it. Any relay can be tested: --whip and --whep set its endpoints.

            With --secret each publisher encrypts every frame and audio packet end to end (SFrame), as clients do that share this secret, \
            and the decoded sample decrypts them. A frame that cannot be decrypted is a failure of the run.

            With --participants and --full-mesh each participant of a session publishes, and subscribes to every other one, on a \
            separate connection for each stream: N participants are N publishers and N x (N - 1) subscribers.

            With --participants alone the run loads the control protocol, without media: this number of participants in each session join \
            over WebSocket, evenly over --ramp, and send --signals a second in all for --duration, each to all in its session. The \
            report says how long joins took, how much relay memory a participant takes, and whether every signal arrived in order. \
            Tokens are made with --app and --secret, by default those of the built-in app of millrace serve --dev.

            With --subsessions these participants also publish audio; all but the host move into this number of subsessions of their \
            session, stay for --duration, and are brought back. The report says how long that took, and whether all heard their own \
            subsession and no other one.

            EXAMPLES
              A relay inside this process, 100 subscribers to one 720p publisher:
                millrace load --embedded --subscribers 100 --video 1280x720@30

              A relay elsewhere on this machine, fifty audio-only sessions:
                millrace load --url http://127.0.0.1:7880 --sessions 50 --publishers 2 --subscribers 8 --video none

              The same relay as WebRTC clients see it, with simulcast; and another relay, by its own paths:
                millrace load --url http://127.0.0.1:7880 --transport webrtc --subscribers 50 --video 1280x720@30 --simulcast
                millrace load --whip 'http://127.0.0.1:7080/whip/endpoint/{stream}' --whep 'http://127.0.0.1:7090/whep/endpoint/{stream}'

              The control protocol of a relay that was started with --dev: 2,000 participants at 200 joins a second:
                millrace load --url http://127.0.0.1:7880 --sessions 100 --participants 20 --ramp 10 --signals 500 --duration 20

              A meeting of eight WebRTC clients, each of which receives all others:
                millrace load --embedded --transport webrtc --participants 8 --full-mesh --video 320x180@15

              Five hundred participants of one session, which move into fifty subsessions and come back:
                millrace load --url http://127.0.0.1:7880 --participants 501 --subsessions 50 --ramp 10 --duration 5

              Ten minutes with plots over time; a browser opens load.html, and load.json has the same numbers:
                millrace load --url http://127.0.0.1:7880 --subscribers 50 --duration 600 --report load.html --timeline load.json

              In CI, with churn and limits:
                millrace load --embedded --subscribers 20 --video 320x180@15 --duration 20 --churn 2 \\
                  --max-loss 0 --max-counters-missed 0 --max-latency-p99 100 --min-psnr 30 --json
            """)

    @Option(help: ArgumentHelp("The running relay's HTTP address, e.g. http://127.0.0.1:7880.", valueName: "address"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The relay's Bearer token, if it requires one; default: MILLRACE_ADMIN_TOKEN.",
            valueName: "token")
    )
    var token: String?

    @Option(
        help: ArgumentHelp(
            "plain (SRTP, keys from the relay's plain endpoint) or webrtc (WHIP, WHEP); default: webrtc with --whip or --whep, else plain.",
            valueName: "name"))
    var transport: String?

    @Option(
        help: ArgumentHelp(
            "Endpoint for publishers' offers, with {session} and {stream} as placeholders; default: Millrace's path below --url.",
            valueName: "URL"))
    var whip: String?

    @Option(help: ArgumentHelp("Endpoint for subscribers' offers, in the same form.", valueName: "URL"))
    var whep: String?

    @Flag(help: "Start a relay inside this process.")
    var embedded = false

    @Option(help: "Sessions.")
    var sessions = LoadOptions().plan.sessions

    @Option(help: "Publishers in each session; 1 if not given.")
    var publishers: Int?

    @Option(help: "Subscribers in each session; 10 if not given.")
    var subscribers: Int?

    @Option(help: "Participants in each session: of the control protocol and without media, or with --full-mesh.")
    var participants: Int?

    @Flag(help: "Each of --participants publishes, and subscribes to all others of its session.")
    var fullMesh = false

    @Option(
        help: ArgumentHelp(
            "Subsessions of each session: participants publish audio, move at once, and are brought back.",
            valueName: "count"))
    var subsessions = 0

    @Option(help: ArgumentHelp("Signals a second that participants send in total.", valueName: "rate"))
    var signals = 0.0

    @Option(help: ArgumentHelp("App of the participants' tokens.", valueName: "key"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "With media: encrypts all frames end to end, under a passphrase or 64 hexadecimal digits. With --app: the app's secret; default: MILLRACE_APP_SECRET.",
            valueName: "secret"))
    var secret: String?

    @Option(help: ArgumentHelp("Video size and frame rate, or none.", valueName: "WxH@FPS"))
    var video = LoadOptions().video

    @Option(help: ArgumentHelp("Video bit rate; by default 0.07 bits a pixel, at least 150.", valueName: "kb/s"))
    var videoBitrate: Int?

    @Flag(help: "One video encoder for each publisher, instead of one for all.")
    var distinctVideo = false

    @Flag(help: "Publishers send each video in three sizes: WebRTC only.")
    var simulcast = false

    @Flag(inversion: .prefixedNo, help: "An Opus tone from each publisher.")
    var audio = true

    @Option(help: ArgumentHelp("Measured time.", valueName: "seconds"))
    var duration = LoadOptions().duration

    @Option(help: ArgumentHelp("Time over which the subscribers join.", valueName: "seconds"))
    var ramp = LoadOptions().ramp

    @Option(help: ArgumentHelp("Subscribers that leave and are replaced each second.", valueName: "rate"))
    var churn = LoadOptions().plan.churn

    @Option(
        help: ArgumentHelp("Packets dropped on purpose, of those sent and of those received.", valueName: "percent")
    )
    var loss = LoadOptions().loss

    @Option(help: "Chooses which packets --loss drops.")
    var seed = LoadOptions().plan.seed

    @Option(
        help: ArgumentHelp(
            "SRTP suite: AES_CM_128_HMAC_SHA1_80 (cm), _32 (cm32) or AEAD_AES_128_GCM (gcm).", valueName: "name"))
    var suite = LoadOptions().suite

    @Option(help: ArgumentHelp("Subscribers whose media is decoded.", valueName: "count"))
    var decodeSample = LoadOptions().plan.decodeSample

    @Option(help: ArgumentHelp("Numeric address of this machine that the relay sends to.", valueName: "address"))
    var address = LoadOptions().plan.localAddress

    @Option(help: ArgumentHelp("Fail above this share of lost packets.", valueName: "percent"))
    var maxLoss: Double?

    @Option(name: .customLong("max-latency-p99"), help: ArgumentHelp("Fail above this latency.", valueName: "ms"))
    var maxLatencyP99: Double?

    @Option(help: ArgumentHelp("Fail above this number of freezes.", valueName: "count"))
    var maxFreezes: Int?

    @Option(help: ArgumentHelp("Fail above this number of missed frame counters.", valueName: "count"))
    var maxCountersMissed: Int?

    @Option(name: .customLong("min-psnr"), help: ArgumentHelp("Fail below this mean PSNR.", valueName: "dB"))
    var minPSNR: Double?

    @Option(help: ArgumentHelp("Fail above this 99th percentile of join times.", valueName: "ms"))
    var maxJoinTime: Double?

    @Option(help: ArgumentHelp("Fail above this 99th percentile of times to the first frame.", valueName: "ms"))
    var maxFirstFrame: Double?

    @Option(
        name: .customLong("max-packet-cpu"),
        help: ArgumentHelp("Fail above this relay CPU time per packet.", valueName: "ns"))
    var maxPacketCPU: Double?

    @Flag(help: "Report as JSON on standard output.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the values of each second as JSON: rates, loss, latency, freezes (runs with media).",
            valueName: "file"))
    var timeline: String?

    @Option(
        help: ArgumentHelp(
            "Write the report with plots over time, as one HTML page (runs with media).", valueName: "file"))
    var report: String?

    func run() async throws {
        // A run with participants needs at least one socket for each.
        OpenFileLimit.raise()
        do {
            if participants != nil, !fullMesh { return try await runCrowd() }
            let plan = try options().validPlan()
            let files = LoadFiles(timeline: timeline, report: report)
            try files.prepare()
            let load = try run(of: plan)
            let report: LoadReport
            do {
                report = try await withInterrupt(isSecond: { load.isInterrupted }, load.interrupt) {
                    try await load.run { Self.note($0) }
                }
            } catch {
                try files.write(load, failure: error)
                throw error
            }
            try files.write(load, report)
            try finish(report, report.isSuccess, table: report.table)
        } catch let error as LoadError {
            Self.note("millrace load: \(error)")
            if case .invalidSetting = error { throw ExitCode(2) }
            throw ExitCode(1)
        }
    }

    /// Runs participants of the control protocol without media.
    private func runCrowd() async throws {
        guard timeline == nil, report == nil else {
            throw LoadError.invalidSetting(
                timeline == nil ? "report" : "timeline",
                reason: "needs media; add --full-mesh, or leave out --participants")
        }
        guard let url, !embedded else {
            throw LoadError.invalidSetting(
                "participants", reason: "needs --url: an embedded relay would distort the measurement")
        }
        let plan = try CrowdPlan(
            address: url, sessions: sessions, participants: participants ?? 0, ramp: ramp, duration: duration,
            signals: signals, app: app,
            secret: secret ?? (app == nil ? nil : ProcessInfo.processInfo.environment["MILLRACE_APP_SECRET"]),
            maxJoinTime: maxJoinTime, subsessions: subsessions, localAddress: address)
        let crowd = try CrowdRun(
            plan: plan, token: token ?? ProcessInfo.processInfo.environment["MILLRACE_ADMIN_TOKEN"])
        let report = try await withInterrupt(isSecond: { crowd.isInterrupted }, crowd.interrupt) {
            try await crowd.run { Self.note($0) }
        }
        try finish(report, report.isSuccess, table: report.table)
    }

    private func finish(_ report: some Encodable, _ isSuccess: Bool, table: String) throws {
        print(json ? try CommandOutput.json(report) : table)
        if !isSuccess { throw ExitCode(1) }
    }

    private func run(of plan: LoadPlan) throws(LoadError) -> LoadRun {
        let token = token ?? ProcessInfo.processInfo.environment["MILLRACE_ADMIN_TOKEN"]
        switch plan.target {
        case .embedded: return try LoadRun(plan: plan, relay: EmbeddedRelay())
        case .url(let address): return try LoadRun(plan: plan, relay: HTTPRelay(address: address, token: token))
        case .endpoints(let whip, let whep):
            return try LoadRun(plan: plan, relay: HTTPRelay(address: url, whip: whip, whep: whep, token: token))
        }
    }

    private func options() throws(LoadError) -> LoadOptions {
        var options = LoadOptions()
        guard app == nil || secret == nil else {
            throw .invalidSetting(
                "app", reason: "excludes --secret in runs with media, where it is the secret of the encryption")
        }
        if fullMesh {
            guard let participants else {
                throw .invalidSetting("full-mesh", reason: "set the participants per session (--participants)")
            }
            guard publishers == nil, subscribers == nil, subsessions == 0, signals == 0 else {
                throw .invalidSetting(
                    "full-mesh", reason: "excludes --publishers, --subscribers, --subsessions and --signals")
            }
            options.fullMesh = participants
        }
        options.url = url
        options.embedded = embedded
        options.transport = transport
        options.whip = whip
        options.whep = whep
        options.plan.sessions = sessions
        options.plan.publishers = publishers ?? options.plan.publishers
        options.plan.subscribers = subscribers ?? options.plan.subscribers
        options.video = video
        options.videoBitrate = videoBitrate
        options.plan.distinctVideo = distinctVideo
        options.plan.simulcast = simulcast
        options.plan.audio = audio
        options.duration = duration
        options.ramp = ramp
        options.plan.churn = churn
        options.loss = loss
        options.plan.seed = seed
        options.suite = suite
        options.secret = secret
        options.plan.decodeSample = decodeSample
        options.plan.localAddress = address
        options.plan.thresholds.loss = maxLoss
        options.plan.thresholds.latencyP99 = maxLatencyP99
        options.plan.thresholds.freezes = maxFreezes
        options.plan.thresholds.countersMissed = maxCountersMissed
        options.plan.thresholds.psnr = minPSNR
        options.plan.thresholds.joinTime = maxJoinTime
        options.plan.thresholds.firstFrame = maxFirstFrame
        options.plan.thresholds.packetCPU = maxPacketCPU
        return options
    }

    /// Runs `body`; the first Ctrl-C ends the run with a report, the second one ends the process.
    private func withInterrupt<Result>(
        isSecond: @escaping @Sendable () -> Bool, _ interrupt: @escaping @Sendable () -> Void,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            if isSecond() { _exit(130) }
            Self.note("ending; Ctrl-C again to leave without a report")
            interrupt()
        }
        source.resume()
        defer {
            source.cancel()
            signal(SIGINT, SIG_DFL)
        }
        return try await body()
    }

    private static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
