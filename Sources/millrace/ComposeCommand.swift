import ArgumentParser
import Dispatch
import Foundation
import Recording
import SFrame

/// `millrace compose`: makes one Matroska file of a recorded session, or with `--mix` one WebM file with one video.
struct ComposeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Make one file of a recorded session: all tracks unchanged, or one mixed video.",
        discussion: """
            DIRECTORY is the folder of a session, with index.json and a file for each stream. The output has a named track for each \
            participant's audio and video, such as "Ada (camera)" and "Ada (audio)", on one timeline by the relay's clock, chapters for \
            participants that join, leave and move to subsessions, and a subtitle track "Chat". Media is copied, not encoded again.

            Several files of the same user and stream are one track; pauses between them stay pauses. A change of codec or of the rotation \
            begins another track, because a track has one of each. Times are corrected by the drift of each publisher's clock, if the relay \
            that recorded the session noted it.

            A session of the same name uses the same folder another day: --from and --to choose the files of one meeting by their start.

            Damaged data and unreadable files are skipped and reported on standard error, and the exit code is 1. The output is written \
            beside its final name, with .part at the end, and renamed when it is complete. Ctrl-C removes it.

            Players show one video and play one audio track at a time, and show the chat if subtitles are switched on. A file made with \
            --mix has chapters and no chat.

            --mix makes a WebM file for any player instead: one video of all participants with their names, and one audio track with all of \
            them. It decodes and encodes (VP8 and Opus), so it takes much longer. --layout grid gives all participants the same size, \
            speaker shows the one who speaks large; screens are always large. The last frame of a participant whose video pauses is \
            dimmed, and participants without video have a tile with their name. A pause in which nothing was recorded stays a pause.

            A session that was encrypted end to end needs its secret. The output is then not encrypted. With --mix, encrypted files \
            without a secret are left out and reported, and the exit code is 1.

            Exit code: 0 fine, 1 failed, or some recorded media is damaged, 2 bad usage, 3 complete, but a file is still being written.

            EXAMPLES
              Make recordings/lobby/session.mkv:
                millrace compose recordings/lobby

              Choose the output, and a meeting of one afternoon:
                millrace compose recordings/lobby --output lobby.mkv --from 2026-08-01T12:00:00Z --to 2026-08-01T18:00:00Z

              Print tracks, chapters and warnings as JSON:
                millrace compose recordings/lobby --json

              Make recordings/lobby/session.webm, one video with mixed audio:
                millrace compose recordings/lobby --mix

              Show who speaks large, in a small file:
                millrace compose recordings/lobby --mix --layout speaker --size 640x360 --rate 15 --output lobby.webm
            """)

    @Argument(help: ArgumentHelp("Folder of a recorded session.", valueName: "directory"))
    var directory: String

    @Option(
        help: ArgumentHelp(
            "The file to write (default: session.mkv in the folder, with --mix session.webm).", valueName: "file"))
    var output: String?

    @Flag(help: "Mix the videos to one, and the audio: a WebM file with VP8 and Opus.")
    var mix = false

    @Option(
        help: ArgumentHelp("With --mix: grid or speaker (default: grid).", valueName: "layout"),
        transform: ComposeCommand.style)
    var layout: MixStyle?

    @Option(
        help: ArgumentHelp("With --mix: the size of the video (default: 1280x720).", valueName: "WxH"),
        transform: DecodeCommand.frameSize)
    var size: FrameSize?

    @Option(help: ArgumentHelp("With --mix: frames a second, 1 to 60 (default: 30).", valueName: "n"))
    var rate: Int?

    @Option(
        help: ArgumentHelp(
            "With --mix: font file for the names; may be given several times (default: fonts of the system).",
            valueName: "file"))
    var font: [String] = []

    @Option(
        help: ArgumentHelp("Only files that begin at this time or later, ISO 8601.", valueName: "time"),
        transform: ComposeCommand.time)
    var from: Int64?

    @Option(
        help: ArgumentHelp("Only files that begin at this time or earlier, ISO 8601.", valueName: "time"),
        transform: ComposeCommand.time)
    var to: Int64?

    @Option(
        help: ArgumentHelp(
            "Secret of a session that was encrypted end to end: the passphrase, or 64 hexadecimal digits; also MILLRACE_SECRET.",
            valueName: "secret"))
    var secret: String?

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        guard output != "-", output?.isEmpty != true else {
            throw ValidationError("--output takes the name of a file: its header is written last")
        }
        if let from, let to, from > to { throw ValidationError("--from is after --to") }
        guard mix || (layout == nil && size == nil && rate == nil && font.isEmpty) else {
            throw ValidationError("--layout, --size, --rate and --font go with --mix")
        }
        for path in font where !FileManager.default.isReadableFile(atPath: path) {
            throw ValidationError("--font: \(path) cannot be read")
        }
        do { try options.validate() } catch { throw ValidationError("\(error)") }
    }

    func run() throws {
        let folder = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
        let output = output ?? folder + (mix ? "/session.webm" : "/session.mkv")
        do {
            let bar = ProgressBar(name: (output as NSString).lastPathComponent)
            defer { bar?.clear() }
            let interruption = Interruption()
            let report: ComposeReport
            if mix {
                let mixer = try SessionMixer(
                    folder: folder, output: output, options: options, from: from, to: to, decryptor: try decryptors())
                report = try mixer.run(isInterrupted: { interruption.isRequested }) { bar?.show($0) }
            } else {
                let composer = try SessionComposer(
                    folder: folder, output: output, from: from, to: to, decryptor: try decryptors())
                report = try composer.run(isInterrupted: { interruption.isRequested }) { bar?.show($0) }
            }
            bar?.clear()
            try tell(report)
        } catch let error as ComposeError {
            if case .noMedia(_, let report) = error { warn(report) }
            CommandOutput.error(error.description)
            throw ExitCode(1)
        }
    }

    private var options: MixOptions {
        var options = MixOptions()
        options.style = layout ?? options.style
        options.size = size ?? options.size
        options.framesPerSecond = rate ?? options.framesPerSecond
        if !font.isEmpty { options.fonts = font }
        return options
    }

    private func tell(_ report: ComposeReport) throws {
        warn(report)
        if json {
            print(try CommandOutput.json(report))
        } else {
            let megabytes = String(format: "%.1f", Double(report.bytes) / 1e6)
            print("\(report.output): \(Self.clock(report.duration)), \(megabytes) MB")
            print(
                CommandOutput.table(
                    ["TRACK", "NAME", "CODEC", "FILES", "FRAMES", "FROM", "TO"],
                    report.tracks.map { track in
                        [
                            "\(track.number)", CommandOutput.plain(track.name), track.codec, "\(track.files)",
                            "\(track.frames)", track.start.map(Self.clock) ?? "-", track.end.map(Self.clock) ?? "-",
                        ]
                    }))
            if let chat = report.chat { print("track \(chat.track) has \(chat.messages) chat messages, as subtitles") }
            if let mix = report.mix {
                let speed = String(format: "%.1f", mix.speed)
                print("mixed \(mix.sources.count) streams at \(speed) times real time")
            }
            for chapter in report.chapters {
                print("\(Self.clock(chapter.time))  \(CommandOutput.plain(chapter.title))")
            }
        }
        if report.isDamaged { throw ExitCode(1) }
        if report.isBeingWritten { throw ExitCode(3) }
    }

    private func warn(_ report: ComposeReport) {
        for warning in report.warnings {
            CommandOutput.error("\(CommandOutput.plain(warning.file)): \(warning.message)")
        }
    }

    /// Returns a function that derives the keys of encrypted files. A passphrase is derived once, because that takes a moment by design.
    private func decryptors() throws -> (RecordingEncryption) throws(ComposeError) -> RecordingDecryptor? {
        let given = secret ?? ProcessInfo.processInfo.environment["MILLRACE_SECRET"] ?? ""
        var known: [String: EncryptionSecret] = [:]
        return { encryption throws(ComposeError) in
            guard !given.isEmpty else { return nil }
            do {
                let secret =
                    try known[encryption.sessionName] ?? EncryptionSecret(hexadecimal: given)
                    ?? EncryptionSecret(passphrase: given, sessionName: encryption.sessionName)
                known[encryption.sessionName] = secret
                return try RecordingDecryptor(secret, of: encryption)
            } catch {
                throw .secret(reason: "\(error)")
            }
        }
    }

    private static func style(_ text: String) throws -> MixStyle {
        guard let style = MixStyle(rawValue: text) else {
            throw ValidationError("a layout is grid or speaker, not \(text)")
        }
        return style
    }

    /// Returns nanoseconds since 1970.
    private static func time(_ text: String) throws -> Int64 {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles {
            // Nanoseconds are 64 bits until 2262.
            if let date = try? style.parse(text), abs(date.timeIntervalSince1970) < 9e9 {
                return Int64((date.timeIntervalSince1970 * 1e9).rounded())
            }
        }
        throw ValidationError("a time is ISO 8601, such as 2026-08-01T12:00:00Z, not \(text)")
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds)
        return String(format: "%d:%02d:%02d", whole / 3_600, whole / 60 % 60, whole % 60)
    }
}
