import Codecs
import Containers
import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite("REC-2 Mixed sessions") struct SessionMixerTests {
    private typealias Color = TestStream.Color

    /// Small, so that tests are quick.
    private static var options: MixOptions {
        var options = MixOptions()
        options.size = FrameSize(width: 320, height: 180)
        options.fonts = []
        return options
    }

    private static func stream(
        at start: Double, seconds: Int = 1, color: Color, hertz: Double? = nil
    ) throws -> [TestStream.Packet] {
        let video = try TestStream.plain(count: 30 * seconds) { _ in color }
        let audio = try hertz.map { try TestStream.tone($0, count: 50 * seconds) } ?? []
        return TestStream(start: .seconds(start), wallClock: 1 << 62).packets(video: video, audio: audio)
    }

    private static func mix(
        _ session: RecordedSession, _ options: MixOptions = SessionMixerTests.options
    ) throws -> (report: ComposeReport, media: MixedMedia) {
        let report = try SessionMixer(folder: session.path, output: session.output, options: options).run()
        return (report, try MixedMedia.decode(session.output))
    }

    @Test("REC-2 a mix shows each participant in a tile while present, and has the audio of all")
    func wholeMix() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, seconds: 4, color: .red, hertz: 500))
        try session.record("b", of: "Bo", Self.stream(at: 101, seconds: 2, color: .green, hertz: 800))
        let (report, media) = try Self.mix(session)
        #expect(report.warnings.map(\.code) == [.noFont] && !report.isDamaged)
        #expect(report.mix?.sources.map(\.name) == ["Ada", "Bo"])
        #expect(report.mix?.sources.map(\.frames) == [120, 60])
        #expect(report.chapters.map(\.title) == ["Ada joins", "Bo joins", "Bo leaves", "Ada leaves"])
        #expect(report.tracks.map(\.codec) == ["VP8", "Opus"])
        #expect(abs(report.duration - 4) < 0.1)
        let decoded = try #require(media.report)
        #expect(decoded.isDamaged == false && decoded.video?.width == 320 && decoded.video?.height == 180)

        // Alone: the whole frame. Together: the left and the right half.
        #expect(try media.color(atX: 20, y: 20, time: 0.5).isNear(.red))
        #expect(try media.color(atX: 300, y: 160, time: 0.5).isNear(.red))
        #expect(try media.color(atX: 80, y: 90, time: 1.5).isNear(.red))
        #expect(try media.color(atX: 240, y: 90, time: 1.5).isNear(.green))
        // Above and below a frame of 16:9 in a tile that is higher.
        #expect(try media.color(atX: 240, y: 10, time: 1.5).isNear(Color(y: MixCanvas.background, u: 128, v: 128)))
        #expect(try media.color(atX: 240, y: 90, time: 3.5).isNear(.red))

        func shares(_ from: Double) -> [Double] {
            let samples = media.samples[Int(from * 48_000)..<Int((from + 0.5) * 48_000)].map(Double.init)
            return [500, 800].map { MixedMedia.energy(at: $0, in: samples) }
        }
        #expect(shares(0.3)[0] > 0.9 && shares(0.3)[1] < 0.01)
        #expect(shares(2)[0] > 0.4 && shares(2)[1] > 0.4)
        #expect(shares(3.3)[0] > 0.9 && shares(3.3)[1] < 0.01)
    }

    @Test(
        "REC-2 the file is WebM, and audio and video of two participants are within 20 ms of their times, also if one gathers media at first",
        arguments: [0, 1.2])
    func skew(gathered: Double) throws {
        let session = try RecordedSession()
        let starts = [100.0, 100.7]
        for (index, start) in starts.enumerated() {
            // A flash and a beep one second after the start.
            let video = try TestStream.plain(count: 60) { (30..<36).contains($0) ? .white : .black }
            let audio = try TestStream.tone(index == 0 ? 1_000 : 3_000, count: 55, from: 50)
            let stream = TestStream(start: .seconds(start), wallClock: 1 << 62)
            let packets = stream.packets(video: video, audio: audio)
            try session.record(
                "s\(index)", of: "P\(index)", index == 0 ? packets : packets.gathered(until: .seconds(start + gathered))
            )
        }
        let media = try Self.mix(session).media
        let head = try Data(contentsOf: URL(fileURLWithPath: session.output)).prefix(64)
        #expect(head.range(of: Data("webm".utf8)) != nil)
        for (index, start) in starts.enumerated() {
            let wanted = start - 100 + 1
            let x = index == 0 ? 80 : 240
            let flash = media.frames.first { frame in
                frame.frame.bytes[90 * 320 + x] > 120 && abs(frame.time.seconds - wanted) < 0.2
            }
            #expect(abs((flash?.time.seconds ?? 0) - wanted) <= 0.02)
            // The first millisecond in which the tone is loud.
            let hertz = index == 0 ? 1_000.0 : 3_000
            let onset = (Int((wanted - 0.2) * 1_000)..<Int((wanted + 0.2) * 1_000)).first { millisecond in
                let samples = media.samples[(millisecond * 48)..<(millisecond * 48 + 48)].map(Double.init)
                let strength = samples.reduce(0) { max($0, abs($1)) } / 9_000
                return strength > 0.25 && MixedMedia.energy(at: hertz, in: samples) > 0.3
            }
            #expect(abs(Double(onset ?? 0) / 1_000 - wanted) <= 0.02, "\(String(describing: onset)) ms")
        }
    }

    @Test("REC-2 no frame is left out if frames are halfway between those of the mix")
    func halfway() throws {
        let session = try RecordedSession()
        let audio = try TestStream.tone(500, count: 60)
        try session.record("a", of: "Ada", TestStream(wallClock: 1 << 62).packets(video: [], audio: audio))
        let video = try TestStream.plain(count: 30) { $0 % 2 == 0 ? .black : .white }
        let stream = TestStream(start: .seconds(100.0167), wallClock: 1 << 62)
        try session.record("b", of: "Bo", stream.packets(video: video, audio: []))
        let lumas = try Self.mix(session).media.frames.map { $0.frame.bytes[90 * 320 + 240] > 120 }
        #expect(zip(lumas, lumas.dropFirst()).count { $0 != $1 } >= 28)
    }

    @Test("REC-2 audio that a file has before its video does not delay the video")
    func order() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, color: .red, hertz: 500))
        // The same file with other media: each audio packet 80 ms before the video of its time.
        let sink = try FileSink(path: session.path + "/" + session.files[0].file)
        let writer = try WebMWriter(
            sink: sink,
            configuration: WebMConfiguration(video: .init(width: 320, height: 180), audio: .init(channels: 2)))
        let video = try TestStream.plain(count: 60) { $0 % 2 == 0 ? .black : .white }
        let audio = try TestStream.tone(500, count: 100)
        var written = 0
        for (index, frame) in video.enumerated() {
            let time = MediaTime.milliseconds(Int64(index) * 1_000 / 30)
            while written < audio.count, MediaTime.milliseconds(Int64(written) * 20) < time + .milliseconds(80) {
                try writer.write(
                    .audio, timestamp: .milliseconds(Int64(written) * 20), isKeyframe: true, bytes: audio[written])
                written += 1
            }
            try writer.write(.video, timestamp: time, isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
        }
        try writer.finish()
        let lumas = try Self.mix(session).media.frames.map { $0.frame.bytes[90 * 320 + 160] > 120 }
        #expect(zip(lumas, lumas.dropFirst()).count { $0 != $1 } >= 57)
    }

    @Test("REC-2 a pause stays a pause: silence, the last frame dimmed, and a tile that stays for a short absence")
    func pause() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", identity: "u-1", Self.stream(at: 100, color: .white, hertz: 500))
        try session.record("b", of: "Ada", identity: "u-1", Self.stream(at: 106, color: .white, hertz: 500))
        // After a pause in which everyone was away.
        try session.record("c", of: "Ada", identity: "u-1", Self.stream(at: 140, color: .green, hertz: 500))
        let (report, media) = try Self.mix(session)
        #expect(report.mix?.sources.count == 1)
        #expect(try media.color(atX: 160, y: 90, time: 0.8).y > 220)
        let dimmed = try media.color(atX: 160, y: 90, time: 4).y
        #expect(dimmed > 60 && dimmed < 140)
        #expect(try media.color(atX: 160, y: 90, time: 6.8).y > 220)
        #expect(try media.color(atX: 160, y: 90, time: 20).isNear(Color(y: MixCanvas.background, u: 128, v: 128)))
        #expect(try media.color(atX: 160, y: 90, time: 40.8).isNear(.green))
        #expect(media.samples[96_000..<240_000].allSatisfy { abs(Int($0)) < 50 })
        #expect(abs(report.duration - 41) < 0.1)
        // Nothing is encoded while nothing is recorded.
        #expect((report.tracks.first?.frames ?? .max) < 200)
    }

    @Test("REC-2 the active speaker is large, and a screen is larger than both")
    func speaker() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, seconds: 3, color: .red))
        try session.record("b", of: "Bo", Self.stream(at: 100.01, seconds: 3, color: .green, hertz: 800))
        try session.record("c", of: "Cy", videoType: "screen", Self.stream(at: 102, color: .blue))
        var options = Self.options
        options.style = .speaker
        let media = try Self.mix(session, options).media
        #expect(try media.color(atX: 120, y: 90, time: 1.5).isNear(.green))
        #expect(try media.color(atX: 288, y: 90, time: 1.5).isNear(.red))
        #expect(try media.color(atX: 120, y: 90, time: 2.8).isNear(.blue))
        #expect(try media.color(atX: 288, y: 72, time: 2.8).isNear(.red))
        #expect(try media.color(atX: 288, y: 108, time: 2.8).isNear(.green))
    }

    @Test("REC-2 changes of the frame size are scaled into the tile, and a portrait frame has borders beside it")
    func sizes() throws {
        let session = try RecordedSession()
        var video = try TestStream.plain(count: 30, width: 64, height: 36) { _ in .red }
        video += try TestStream.plain(count: 30, width: 90, height: 160) { _ in .green }
        let packets = TestStream(wallClock: 1 << 62).packets(video: video, audio: [])
        try session.record("a", of: "Ada", packets)
        let media = try Self.mix(session).media
        #expect(try media.color(atX: 10, y: 90, time: 0.8).isNear(.red))
        #expect(try media.color(atX: 160, y: 90, time: 1.8).isNear(.green))
        #expect(try media.color(atX: 10, y: 90, time: 1.8).isNear(Color(y: MixCanvas.background, u: 128, v: 128)))
    }

    @Test("REC-2 an interruption at any step leaves neither an output nor a temporary file, and keeps an older output")
    func interruption() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, color: .red, hertz: 500))
        for limit in [0, 1, 20] {
            var asked = 0
            let mixer = try SessionMixer(folder: session.path, output: session.output, options: Self.options)
            let stopped = #expect(throws: ComposeError.self) {
                try mixer.run(isInterrupted: {
                    asked += 1
                    return asked > limit
                })
            }
            guard case .interrupted = stopped else { throw try #require(stopped) }
            #expect(!FileManager.default.fileExists(atPath: session.output))
            #expect(!FileManager.default.fileExists(atPath: session.output + ".part"))
        }
        try Data("older".utf8).write(to: URL(fileURLWithPath: session.output))
        let mixer = try SessionMixer(folder: session.path, output: session.output, options: Self.options)
        #expect(throws: ComposeError.self) { try mixer.run(isInterrupted: { true }) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: session.output)) == Data("older".utf8))
    }

    @Test("REC-2 damaged, truncated and missing files are mixed as far as they can be read, with typed warnings")
    func damage() throws {
        let session = try RecordedSession()
        for (name, color) in [("a", Color.red), ("b", .green), ("c", .blue), ("d", .white)] {
            try session.record(name, of: name, Self.stream(at: 100, color: color, hertz: 500))
        }
        func change(_ index: Int, _ body: (inout Data) -> Void) throws {
            let url = URL(fileURLWithPath: session.path + "/" + session.files[index].file)
            var data = try Data(contentsOf: url)
            body(&data)
            try data.write(to: url)
        }
        try change(1) { $0 = $0.prefix($0.count / 2) }
        // Media damaged at many offsets, but not the header.
        var random = SeededGenerator(seed: 3)
        try change(2) { data in
            for offset in stride(from: 700, to: data.count, by: 40) { data[offset] = UInt8(random.below(256)) }
        }
        try change(3) { $0 = Data("no media".utf8) }
        let (report, media) = try Self.mix(session)
        #expect(report.isDamaged)
        let codes = Set(report.warnings.filter { $0.code != .noFont }.map(\.code))
        #expect(codes == [.damaged, .unreadable])
        #expect(report.mix?.sources.first?.frames == 30)
        #expect(media.report?.isDamaged == false)
    }

    @Test("REC-2 times that cannot be right do not make the mix longer")
    func hostileTimes() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, color: .red, hertz: 500))
        var entry = session.files[0]
        entry.file = "forged.webm"
        entry.stream = "forged"
        entry.participant = RecordingSource.Participant(id: "x", name: "Mallory")
        let sink = try FileSink(path: session.path + "/" + entry.file)
        let writer = try WebMWriter(
            sink: sink,
            configuration: WebMConfiguration(video: .init(width: 320, height: 180), audio: .init(channels: 2)))
        let frames = try TestStream.plain(count: 3) { _ in .green }
        let tones = try TestStream.tone(800, count: 3)
        for (index, time) in [0.0, 9_000, 2_000_000].enumerated() {
            try writer.write(.video, timestamp: .seconds(time), isKeyframe: index == 0, bytes: frames[index].bytes)
            try writer.write(.audio, timestamp: .seconds(time), isKeyframe: true, bytes: tones[index])
        }
        try writer.finish()
        try session.add(entry)
        let report = try Self.mix(session).report
        #expect(report.duration < 1.2)
        #expect(report.warnings.contains { $0.file == "forged.webm" && $0.code == .damaged })
    }

    @Test("REC-2 encrypted files without a secret are left out with a warning, and a session of only those is refused")
    func encrypted() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.stream(at: 100, color: .red)) { entry in
            entry.encryption = RecordingEncryption(session: "s", sessionName: "lobby", publisher: "c")
        }
        let refused = #expect(throws: ComposeError.self) { try Self.mix(session) }
        guard case .encrypted(files: 1) = refused else { throw try #require(refused) }
        #expect(!FileManager.default.fileExists(atPath: session.output))
        try session.record("b", of: "Bo", Self.stream(at: 100.01, color: .green))
        let (report, media) = try Self.mix(session)
        #expect(report.isDamaged && report.warnings.map(\.code).contains(.encrypted))
        #expect(try media.color(atX: 20, y: 20, time: 0.5).isNear(.green))
    }

    @Test("REC-2 options out of range are refused before the folder is read")
    func options() throws {
        for (width, height, rate) in [(0, 180, 30), (321, 180, 30), (320, 8_000, 30), (320, 180, 0), (320, 180, 61)] {
            var options = MixOptions()
            options.size = FrameSize(width: width, height: height)
            options.framesPerSecond = rate
            let refused = #expect(throws: ComposeError.self) {
                try SessionMixer(folder: "/nonexistent", output: "/nonexistent/x", options: options)
            }
            guard case .option = refused else { throw try #require(refused) }
        }
    }

    @Test("REC-2 files are open only while they are mixed, and memory does not grow with the duration")
    func boundedMemory() throws {
        let session = try RecordedSession()
        let packets = try (0..<12).map { try Self.stream(at: 100 + 2 * Double($0), color: .red, hertz: 500) }
        for packets in packets { try session.record("cam", of: "Ada", packets) }
        let mixer = try SessionMixer(folder: session.path, output: session.output, options: Self.options)
        var mostFiles = 0
        var resident: [Int] = []
        let report = try mixer.run(isInterrupted: {
            mostFiles = max(mostFiles, (try? Self.openFiles(under: session.path)) ?? 0)
            resident.append(Self.residentPages())
            return false
        })
        #expect(report.mix?.sources.map(\.frames) == [360])
        #expect((1...2).contains(mostFiles))
        // Pages of 4 KiB, after the first files: tests in parallel take memory too.
        let early = resident[resident.count / 3]
        let late = resident.last ?? 0
        #expect(late - early < 16_384, "\(early) to \(late) pages")
    }

    private static func residentPages() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func openFiles(under folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path?.hasPrefix(folder) == true && path?.hasSuffix(".webm") == true
        }
    }
}
