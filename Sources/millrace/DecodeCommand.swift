import ArgumentParser
import Containers
import Foundation
import Recording
import SFrame

/// `millrace decode`: converts recorded files to raw frames, audio, stills and fingerprints.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode recorded files to raw frames, audio, stills or fingerprints; check them.",
        discussion: """
            FILE is a .webm or .mkv (of millrace or other writers: VP8, H.264, VP9, AV1, Opus), an .ivf, an .ogg or .opus (Opus). Without an output option \
            the file is decoded and the findings are printed.

            --video writes each decoded frame once, all in the size of --size or of the largest; --constant-rate repeats and drops \
            frames instead, so that the file keeps the recording's time. --audio begins at the recording's time zero and fills \
            gaps, so that it stays in sync with the video. Both accept - for standard output.

            Everything readable in a damaged file is decoded; losses are reported on standard error, and the exit code is 1.

            With --verify, a recording that a relay on this machine still writes is neither whole nor damaged, but "still being \
            written", if only its end is incomplete.

            Video is 4:2:0 with 8 bits; other formats are errors. B frames of H.264 files are written in the order of decoding.

            Exit code: 0 fine, 1 failed or damaged, 2 bad usage, 3 with --verify: nothing is damaged, but a file is still being written.

            A recording of a stream that was encrypted end to end needs the session's secret, and the index.json that the relay wrote beside it.

            EXAMPLES
              Convert a recording to raw frames and audio:
                millrace decode lobby/cam1-20260801T120000.000Z.webm --video cam1.y4m --audio cam1.wav

              Write one still per second of a 30 fps recording:
                millrace decode cam1.webm --frames stills --every 30

              Compare the fingerprint of each frame with those of a test vector:
                millrace decode vp80-00-comprehensive-001.ivf --md5 | diff - vp80-00-comprehensive-001.ivf.md5

              Check whether recordings are whole:
                millrace decode --verify lobby/*.webm && echo yes
            """)

    @Argument(help: ArgumentHelp("Recorded files.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("Write raw frames as Y4M.", valueName: "out.y4m"))
    var video: String?

    @Option(
        help: ArgumentHelp("With --video: the size of the frames, such as 640x360.", valueName: "WxH"),
        transform: DecodeCommand.frameSize)
    var size: FrameSize?

    @Flag(help: "With --video: repeat and drop frames so that the file keeps the recording's time.")
    var constantRate = false

    @Option(help: ArgumentHelp("Write 48 kHz audio as WAV.", valueName: "out.wav"))
    var audio: String?

    @Option(help: ArgumentHelp("Write frames as PNG into this folder.", valueName: "folder"))
    var frames: String?

    @Option(help: ArgumentHelp("With --frames: only every n-th frame.", valueName: "n"))
    var every = 1

    @Flag(name: .customLong("md5"), help: "Print a line for each frame: MD5, name, size, number.")
    var fingerprints = false

    @Flag(help: "Report structure, gaps, the offset between audio and video, and whether everything decodes.")
    var verify = false

    @Option(help: ArgumentHelp("Threads that decode frames, 1 to 16.", valueName: "n"))
    var threads = min(8, max(1, ProcessInfo.processInfo.activeProcessorCount))

    @Option(
        help: ArgumentHelp(
            "Secret of a session that was encrypted end to end: the passphrase, or 64 hexadecimal digits; also MILLRACE_SECRET.",
            valueName: "secret"))
    var secret: String?

    @Flag(help: "Print the findings as JSON.")
    var json = false

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name at least one file") }
        guard (1...16).contains(threads) else { throw ValidationError("--threads takes 1 to 16") }
        guard every >= 1 else { throw ValidationError("--every takes 1 or more") }
        guard every == 1 || frames != nil else { throw ValidationError("--every goes with --frames") }
        guard size == nil || video != nil else { throw ValidationError("--size goes with --video") }
        guard !constantRate || video != nil else { throw ValidationError("--constant-rate goes with --video") }
        guard files.count == 1 || (video == nil && audio == nil) else {
            throw ValidationError("--video and --audio take one file at a time")
        }
        let toOutput = [video == "-", audio == "-", fingerprints, json].filter { $0 }.count
        guard toOutput <= 1 || (toOutput == 2 && fingerprints && json) else {
            throw ValidationError("only one thing can go to standard output")
        }
    }

    func run() throws {
        // If the reader closes early, as head does, writing fails with an error instead of a fatal signal.
        signal(SIGPIPE, SIG_IGN)
        var outcomes: [DecodeOutcome] = []
        for path in files { outcomes.append(decode(path)) }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(outcomes), as: UTF8.self))
        }
        if outcomes.contains(where: { !$0.isFine }) { throw ExitCode(1) }
        if verify, outcomes.contains(where: \.isBeingWritten) { throw ExitCode(3) }
    }

    private func decode(_ path: String) -> DecodeOutcome {
        var outcome = DecodeOutcome(file: path)
        let lines = FingerprintLines(keeps: json)
        do {
            let decoder = try FileDecoder(
                path: path, threads: threads, video: needsVideo, audio: needsAudio, decryptor: try decryptor(of: path))
            let outputs = try self.outputs(decoder, path, lines)
            let bar = ProgressBar(name: (path as NSString).lastPathComponent)
            let report = try decoder.run(to: outputs.all) { progress in bar?.show(progress) }
            bar?.clear()
            outcome.report = report
            lines.flush()
            if json {
                outcome.fingerprints = fingerprints ? lines.kept : nil
            } else if !fingerprints || verify {
                tell(DecodeReportText(report, verify: verify).lines)
            }
            for line in DecodeReportText.complaints(report) { note("\(path): \(line)") }
            if let fitted = outputs.video?.fittedFrames, fitted > 0, let size = outputs.video?.size {
                note("\(path): \(fitted) frames of another size were fitted into \(size.width)x\(size.height)")
            }
        } catch {
            lines.flush()
            outcome.error = "\(error)"
            note("\(path): \(error)")
        }
        return outcome
    }

    private func decryptor(of path: String) throws -> RecordingDecryptor? {
        guard let encryption = RecordingIndex.encryption(ofFile: path) else { return nil }
        let given = secret ?? ProcessInfo.processInfo.environment["MILLRACE_SECRET"] ?? ""
        guard !given.isEmpty else {
            throw DecodeError.unsupported("it was encrypted end to end; give the session's secret with --secret")
        }
        let secret =
            try EncryptionSecret(hexadecimal: given)
            ?? EncryptionSecret(passphrase: given, sessionName: encryption.sessionName)
        return try RecordingDecryptor(secret, of: encryption)
    }

    static func frameSize(_ text: String) throws -> FrameSize {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (1...16383).contains(width),
            (1...16383).contains(height), width * height <= FrameSize.maximumPixels
        else { throw ValidationError("a size is WIDTHxHEIGHT in pixels, up to 4096x4096, not \(text)") }
        return FrameSize(width: width, height: height)
    }

    private var decodesAll: Bool {
        verify || (video == nil && audio == nil && frames == nil && !fingerprints)
    }
    private var needsVideo: Bool { decodesAll || video != nil || frames != nil || fingerprints }
    private var needsAudio: Bool { decodesAll || audio != nil }

    private func outputs(
        _ decoder: FileDecoder, _ path: String, _ lines: FingerprintLines
    ) throws -> (all: [any DecodedMediaConsumer], video: Y4MOutput?) {
        var all: [any DecodedMediaConsumer] = []
        let name = (path as NSString).lastPathComponent
        let stem = (name as NSString).deletingPathExtension
        var y4m: Y4MOutput?
        if video != nil || frames != nil || fingerprints {
            guard decoder.file.video != nil else {
                throw DecodeError.unsupported("the file has no video track in a known codec")
            }
        }
        if let video {
            let output = Y4MOutput(
                sink: try sink(video), size: try size ?? FrameSize.largest(ofFile: path),
                rate: try FrameRate.ofFile(path), keepsTime: constantRate)
            y4m = output
            all.append(output)
        }
        if let audio {
            guard let track = decoder.file.audio else { throw DecodeError.unsupported("the file has no Opus track") }
            all.append(try WAVOutput(sink: try sink(audio), channels: track.channels))
        }
        if let frames {
            try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
            all.append(StillsOutput(directory: frames, stem: stem, every: every))
        }
        if fingerprints { all.append(FingerprintOutput(stem: stem) { lines.add($0) }) }
        return (all, y4m)
    }

    private func sink(_ path: String) throws -> FileSink {
        path == "-" ? FileSink(descriptor: dup(1), name: "standard output") : try FileSink(path: path)
    }

    /// Prints the findings to standard output, or to standard error if standard output carries media.
    private func tell(_ lines: [String]) {
        if video == "-" || audio == "-" {
            for line in lines { note(line) }
        } else {
            for line in lines { print(line) }
        }
    }

    private func note(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}
