import Codecs
import Foundation
import MediaBase
import Testing

/// Compares our decoder with programs that contain their own: they read the same packets in an Ogg file and must produce the same samples.
@Suite struct OpusInteropTests {
    static let ffmpeg = path(of: "ffmpeg")
    static let opusdec = path(of: "opusdec")

    static func path(of program: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program and returns its standard output.
    static func run(_ program: String, _ arguments: [String]) throws -> [Int16] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / 2).map {
                Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self))
            }
        }
    }

    /// Returns two seconds of stereo audio as packets, the samples that our decoder produces, and the Ogg file.
    static func material(_ application: OpusApplication) throws -> (samples: [Int16], file: URL) {
        let encoder = try OpusEncoder(channels: 2, application: application, bitrate: .kilobits(64))
        let decoder = try OpusDecoder(channels: 2)
        var ogg = MinimalOgg(channels: 2)
        var samples: [Int16] = []
        for number in 0..<100 {
            let packet = try encoder.encode(
                Tone.block(hertz: 500, peak: 9000, channels: 2, start: number * 960, frameCount: 960))
            ogg.append(packet, frameCount: 960, isLast: number == 99)
            samples += try decoder.decode(packet).samples
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).opus")
        try Data(ogg.bytes).write(to: file)
        return (samples, file)
    }

    static func largestDifference(_ a: [Int16], _ b: [Int16]) -> Int {
        zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    @Test(
        "Equal to ffmpeg over libopus within 1 LSB", .enabled(if: ffmpeg != nil, "no ffmpeg here"),
        arguments: OpusApplication.allCases)
    func againstFFmpeg(application: OpusApplication) throws {
        let (samples, file) = try Self.material(application)
        defer { try? FileManager.default.removeItem(at: file) }
        let theirs = try Self.run(
            try #require(Self.ffmpeg),
            ["-v", "error", "-c:a", "libopus", "-i", file.path, "-f", "s16le", "-c:a", "pcm_s16le", "-"])
        #expect(theirs.count == samples.count)
        #expect(Self.largestDifference(samples, theirs) <= 1)
    }

    @Test("Equal to opusdec within 1 LSB", .enabled(if: opusdec != nil, "no opusdec here"))
    func againstOpusdec() throws {
        let (samples, file) = try Self.material(.audio)
        defer { try? FileManager.default.removeItem(at: file) }
        let theirs = try Self.run(
            try #require(Self.opusdec), ["--quiet", "--no-dither", "--rate", "48000", file.path, "-"])
        // The output may begin with a WAV header of 22 words.
        let decoded = theirs.count > samples.count ? Array(theirs.suffix(samples.count)) : theirs
        #expect(decoded.count == samples.count)
        #expect(Self.largestDifference(samples, decoded) <= 1)
    }
}
