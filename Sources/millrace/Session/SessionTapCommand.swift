import ArgumentParser
import Foundation

/// `millrace session tap SESSION STREAM`: writes the canvas of a stream to a file or to standard output (CAN-2).
struct SessionTapCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case png
        case y4m
        case wav
    }

    static let configuration = CommandConfiguration(
        commandName: "tap",
        abstract: "Reads the canvas of a stream: a still image, raw frames, or audio.",
        discussion: """
            Frames and audio continue until the stream ends, or until this command is stopped.

            Examples:
              millrace session tap demo cam --output cam.png
              millrace session tap demo cam --format y4m | ffplay -
              millrace session tap demo cam --format wav --output cam.wav
            """)

    @OptionGroup var options: SessionOptions
    @Argument(help: ArgumentHelp("id of the stream", valueName: "stream")) var stream: String
    @Option(help: "png, y4m or wav (default: by the name of the file, else png)") var format: Format?
    @Option(help: ArgumentHelp("file (default: standard output)", valueName: "file")) var output: String?
    @Option(help: ArgumentHelp("frames a second of y4m, 1 to 120", valueName: "number")) var rate: Int?

    func run() async throws {
        let client = try options.relay.relay()
        let file = output.map { URL(filePath: $0) }
        let format = format ?? file.flatMap { Format(rawValue: $0.pathExtension.lowercased()) } ?? .png
        let path = client.path(options.session, "streams", stream, "canvas." + format.rawValue)
        let query = rate.map { ["rate": String($0)] } ?? [:]
        var handle: FileHandle? = file == nil ? .standardOutput : nil
        var bytes = 0
        try await client.stream(path, query: query) { part in
            // Created only after the relay has accepted, so that a refusal leaves an existing file unchanged.
            if handle == nil, let file {
                _ = FileManager.default.createFile(atPath: file.path, contents: nil)
                handle = try FileHandle(forWritingTo: file)
            }
            bytes += part.count
            try handle?.write(contentsOf: Data(part))
        }
        if file != nil { try handle?.close() }
        if options.relay.json, let file {
            print(try CommandOutput.json(["bytes": "\(bytes)", "file": file.path, "format": format.rawValue]))
        }
    }
}
