import Containers
import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite("REC-2 Composed sessions") struct SessionComposerTests {
    private static let short = (video: Array(TestStream.video[..<30]), audio: Array(TestStream.audio[..<50]))

    /// Returns one second of a stream from `start` on.
    private static func second(at start: Double) -> [TestStream.Packet] {
        TestStream(start: .seconds(start), wallClock: 1 << 62).packets(video: short.video, audio: short.audio)
    }

    @Test(
        "REC-2 two publishers whose clocks drift by 200 ppm each are 20 ms apart at most after two hours, also after kill -9",
        arguments: [false, true])
    func drift(isKilled: Bool) throws {
        let session = try RecordedSession()
        let duration = MediaTime.seconds(7_200)
        let fast = DriftingPublisher(drift: 200, start: .seconds(100), duration: duration, seed: 1)
        var slow = DriftingPublisher(drift: -200, start: .seconds(130.4), duration: duration, seed: 2)
        slow.congested = .seconds(5_000) ... .seconds(5_300)
        try session.record("a", of: "Ada", fast.packets(), isKilled: isKilled)
        try session.record("b", of: "Bo", slow.packets(), isKilled: isKilled)
        #expect(session.files.count == 2)
        #expect(session.files.allSatisfy { ($0.clock ?? []).count <= 2 * ClockPoints.capacity })

        let report = try session.compose()
        #expect(report.tracks.count == 4 && report.warnings.isEmpty)
        let drifts = report.files.compactMap(\.driftPPM)
        // A fast clock makes the file's time run ahead of the relay's.
        #expect(abs(drifts[0] + 200) < 5 && abs(drifts[1] - 200) < 5)

        let composed = try session.composed()
        for frames in composed.values { #expect(frames.count > 800) }
        let video = [1, 3].compactMap { composed[$0]?.count }
        // Some of the 900 frames of each publisher are lost.
        #expect(video.count == 2 && video.allSatisfy { $0 < 890 })
        #expect(composed.values.joined().contains { $0.timestamp > .seconds(7_220) })
        #expect(Self.skew(of: composed) <= .milliseconds(20))
    }

    /// Returns the range of the difference between the time in the file and the time of capture, which is the same for all media in a perfect
    /// file.
    /// - Parameter captured: times of capture of the frames that are compared.
    static func skew(
        of tracks: [Int: [WebMFrame]], captured: Range<MediaTime> = .zero ..< .never
    ) -> MediaTime {
        var extremes: (low: MediaTime, high: MediaTime) = (.never, .zero - .never)
        for frame in tracks.values.joined() {
            let capture = DriftingPublisher.captureTime(of: frame.bytes)
            guard captured.contains(capture) else { continue }
            let difference = frame.timestamp - capture
            extremes = (min(extremes.low, difference), max(extremes.high, difference))
        }
        return extremes.high - extremes.low
    }

    @Test(
        "REC-2 after a kill of the relay in the middle, new files continue the tracks, with 20 ms of skew at most before and after"
    )
    func restart() throws {
        let session = try RecordedSession()
        let kill = MediaTime.seconds(4_600)
        // Start of the first file and of the one after the restart.
        let starts = [
            "Ada": (MediaTime.seconds(100), MediaTime.seconds(4_606)), "Bo": (.seconds(130.4), .seconds(4_608.2)),
        ]
        for (seed, name) in [(UInt64(1), "Ada"), (2, "Bo")] {
            let (first, second) = try #require(starts[name])
            let drift = name == "Ada" ? 200.0 : -200
            let before = DriftingPublisher(drift: drift, start: first, duration: kill - first, seed: seed)
            // Packets that arrive after the kill are in no file.
            let received = before.packets().filter { $0.arrival < kill }
            try session.record(name + "-1", of: name, identity: "u-" + name, received, isKilled: true)
            var after = DriftingPublisher(
                drift: drift, start: second, duration: .seconds(7_300) - second, seed: seed + 7)
            if name == "Bo" { after.congested = .seconds(1_000) ... .seconds(1_300) }
            try session.record(name + "-2", of: name, identity: "u-" + name, after.packets())
        }
        #expect(session.files.count == 4 && session.files.count { $0.duration == nil } == 2)

        let report = try session.compose()
        #expect(report.warnings.isEmpty)
        #expect(report.tracks.map(\.name) == ["Ada (camera)", "Ada (audio)", "Bo (camera)", "Bo (audio)"])
        #expect(report.tracks.map(\.files) == [2, 2, 2, 2] && report.tracks.allSatisfy { $0.droppedFrames == 0 })
        let composed = try session.composed()
        // Both halves are in each track.
        for track in composed.values {
            #expect(track.contains { $0.timestamp > .seconds(4_400) && $0.timestamp < .seconds(4_500) })
            #expect(track.contains { $0.timestamp > .seconds(7_100) })
        }
        #expect(Self.skew(of: composed, captured: .zero..<kill) <= .milliseconds(20))
        #expect(Self.skew(of: composed, captured: kill ..< .never) <= .milliseconds(20))
        #expect(Self.skew(of: composed) <= .milliseconds(20))
    }

    @Test("REC-2 a stream that reconnects stays one track of its participant, and the gap stays a gap")
    func reconnection() throws {
        let session = try RecordedSession()
        try session.record("cam-1", of: "Ada", identity: "u-1", Self.second(at: 100))
        // Another connection, whose user has changed the display name.
        try session.record("cam-2", of: "Ada L.", identity: "u-1", Self.second(at: 105))
        try session.record("cam-3", of: "Bo", Self.second(at: 100.5))
        let report = try session.compose()
        #expect(report.tracks.map(\.name) == ["Ada (camera)", "Ada (audio)", "Bo (camera)", "Bo (audio)"])
        #expect(report.tracks.map(\.files) == [2, 2, 1, 1])
        #expect(report.tracks.map(\.frames) == [60, 100, 30, 50])

        let tracks = try session.composed()
        for number in [1, 2] {
            let times = try #require(tracks[number]).map(\.timestamp.seconds)
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(steps.filter { $0 > 1 }.count == 1)
            #expect(abs((times.first { $0 > 2 } ?? 0) - 5) < 0.005)
        }
        #expect(tracks[1]?.map(\.bytes) == (Self.short.video + Self.short.video).map(\.bytes))
        #expect(tracks[2]?.map(\.bytes) == Self.short.audio + Self.short.audio)
        #expect(abs((tracks[3]?.first?.timestamp.seconds ?? 0) - 0.5) < 0.005)
    }

    @Test("REC-2 B frames of H.264 keep their times and the order of decoding")
    func reordered() throws {
        let session = try RecordedSession()
        try session.record("cam", of: "Ada", kinds: [.video], codec: .h264, TestStream.reordered)
        let report = try session.compose()
        #expect(report.tracks.map(\.droppedFrames) == [0])
        let frames = try #require(try session.composed()[1])
        #expect(frames.map { $0.bytes.suffix(2).first } == [0x84] + (1...9).map { UInt8($0) })
        for (frame, position) in zip(frames, TestStream.displayOrder) {
            let time = position * 1_000_000_000 / 30
            #expect(abs(frame.timestamp.rawValue - time) < 1_000_000, "\(position): \(frame.timestamp)")
        }
    }

    @Test("REC-2 chapters name who joins and leaves; a short pause is no leave")
    func chapters() throws {
        let session = try RecordedSession()
        try session.record("cam-1", of: "Ada", Self.second(at: 100))
        try session.record("cam-2", of: "Ada", Self.second(at: 105))
        try session.record("cam-3", of: "Bo", Self.second(at: 103))
        try session.record("cam-4", of: "Cy", Self.second(at: 103.2))
        try session.record("cam-5", of: "Ada", Self.second(at: 130))
        let report = try session.compose()
        let wanted = [
            (0.0, "Ada joins"), (3, "Bo joins, Cy joins"), (4, "Bo leaves, Cy leaves"), (6, "Ada leaves"),
            (30, "Ada joins"), (31, "Ada leaves"),
        ]
        #expect(report.chapters.map(\.title) == wanted.map(\.1))
        #expect(zip(report.chapters, wanted).allSatisfy { abs($0.time - $1.0) < 0.05 })
    }

    @Test("REC-2 camera and screen of one participant are tracks of their own, and so are two cameras at the same time")
    func parallelStreams() throws {
        let session = try RecordedSession()
        for (name, type, start) in [
            ("cam-1", "camera", 100.0), ("cam-2", "camera", 100.01), ("screen", "screen", 100.02),
        ] {
            // Four seconds, because an overlap of up to a second is a reconnection.
            let packets = TestStream(start: .seconds(start), wallClock: 1 << 62).packets()
            try session.record(name, of: "Ada", videoType: type, packets)
        }
        let names = try session.compose().tracks.map(\.name)
        let first = ["Ada (camera)", "Ada (audio)", "Ada (camera) 2", "Ada (audio) 2"]
        #expect(names == first + ["Ada (screen)", "Ada (screen audio)"])
    }

    @Test("REC-2 damaged, missing and foreign files are skipped with a typed warning, and the rest is composed")
    func damage() throws {
        let session = try RecordedSession()
        try session.record("whole", of: "Ada", Self.second(at: 100))
        try session.record("cut", of: "Bo", Self.second(at: 100))
        try session.record("noise", of: "Cy", Self.second(at: 100))
        let cut = session.path + "/" + session.files[1].file
        let bytes = try Data(contentsOf: URL(fileURLWithPath: cut))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        try Data("no media".utf8).write(to: URL(fileURLWithPath: session.path + "/" + session.files[2].file))
        var entry = session.files[0]
        entry.file = "missing.webm"
        try session.add(entry)
        entry.file = "../../outside.webm"
        try session.add(entry)

        let report = try session.compose()
        #expect(report.isDamaged)
        #expect(Set(report.warnings.map(\.code)) == [.damaged, .unreadable, .invalidName])
        #expect(report.warnings.filter { $0.code == .unreadable }.count == 2)
        let frames = Dictionary(uniqueKeysWithValues: report.tracks.map { ($0.name, $0.frames) })
        #expect(frames["Ada (camera)"] == 30 && frames["Ada (audio)"] == 50)
        #expect((1..<30).contains(frames["Bo (camera)"] ?? 0))
        #expect(frames["Cy (camera)"] == nil)
    }

    @Test(
        "REC-2 a folder without a recording, an encrypted session and an interruption are typed errors that leave no file"
    )
    func refusals() throws {
        let session = try RecordedSession()
        let empty = #expect(throws: ComposeError.self) { try session.compose() }
        guard case .index = empty else { throw try #require(empty) }
        try session.record("cam", of: "Ada", Self.second(at: 100)) { entry in
            entry.encryption = RecordingEncryption(session: "s", sessionName: "lobby", publisher: "c")
        }
        let sealed = #expect(throws: ComposeError.self) { try session.compose() }
        guard case .encrypted(files: 1) = sealed else { throw try #require(sealed) }

        let clear = try RecordedSession()
        try clear.record("cam", of: "Ada", Self.second(at: 100))
        var asked = 0
        let composer = try SessionComposer(folder: clear.path, output: clear.output)
        let stopped = #expect(throws: ComposeError.self) {
            try composer.run(isInterrupted: {
                asked += 1
                return asked > 20
            })
        }
        guard case .interrupted = stopped else { throw try #require(stopped) }
        let own = clear.path + "/" + clear.files[0].file
        let lost = #expect(throws: ComposeError.self) { try SessionComposer(folder: clear.path, output: own) }
        guard case .outputIsRecording = lost else { throw try #require(lost) }
        for folder in [session, clear] {
            let left = try FileManager.default.contentsOfDirectory(
                atPath: (folder.output as NSString).deletingLastPathComponent)
            #expect(left == ["lobby"])
        }
    }

    @Test("REC-2 files are open only while they are read, so memory does not grow with their number")
    func boundedMemory() throws {
        let session = try RecordedSession()
        // Each file begins after the one before it, and is opened a second before its start.
        for number in 0..<40 { try session.record("cam", of: "Ada", Self.second(at: 100 + 2 * Double(number))) }
        let composer = try SessionComposer(folder: session.path, output: session.output)
        var most = 0
        let report = try composer.run(isInterrupted: {
            if let now = try? Self.openFiles(under: session.path) { most = max(most, now) }
            return false
        })
        #expect(report.tracks.map(\.frames) == [1_200, 2_000])
        #expect((1...2).contains(most))
    }

    private static func openFiles(under folder: String) throws -> Int {
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return numbers.count { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path?.hasPrefix(folder) == true && path?.hasSuffix(".webm") == true
        }
    }

    @Test("REC-2 chat is a subtitle track, and subsessions are chapters")
    func journal() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.second(at: 100))
        try session.record("b", of: "Bo", Self.second(at: 101))
        let zero = RecordedSession.wallClock / 1_000_000 + 100_000
        let ada = RecordingSource.Participant(id: "c-a", name: "Ada\u{7}")
        for entry in [
            JournalEntry(time: zero - 60_000, event: .chat, participant: ada, text: "another day"),
            JournalEntry(time: zero + 1_300, event: .chat, participant: ada, subsession: "one", text: "<i>second</i>"),
            JournalEntry(time: zero + 600, event: .chat, participant: ada, text: "first"),
            JournalEntry(time: zero + 700, event: .subsessionsStarted),
            JournalEntry(time: zero + 60_000, event: .chat, participant: ada, text: "later"),
            JournalEntry(time: .max, event: .subsessionsStopped),
        ] {
            #expect(try JournalFile.append(entry, folder: session.path))
        }
        let report = try session.compose()
        #expect(report.chat?.track == 5 && report.chat?.messages == 2 && report.tracks.count == 4 && !report.isDamaged)
        #expect(report.chapters.map(\.title).contains { $0.contains("Subsessions start") })
        #expect(!report.chapters.map(\.title).contains { $0.contains("Subsessions end") })
        let texts = try #require(session.composed()[5])
        #expect(
            texts.map { String(decoding: $0.bytes, as: UTF8.self) }
                == ["Ada: first", "[one] Ada: <\u{2060}i>second<\u{2060}/i>"])
        // The first frame is where the file begins, which is some milliseconds after the first packet.
        let times = texts.map(\.timestamp.seconds)
        #expect(abs(times[0] - 0.6) < 0.2 && abs(times[1] - times[0] - 0.7) < 0.002, "\(times)")
        #expect(texts.map(\.duration) == [.seconds(4), .seconds(4)])
    }

    @Test("REC-2 joins, leaves and moves in the journal are chapters, each event once, also in a mix")
    func attendance() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.second(at: 100))
        try session.record("w", of: "cam1", Self.second(at: 102))
        try session.record("b", of: "Bo", Self.second(at: 104))
        let zero = RecordedSession.wallClock / 1_000_000 + 100_000
        let ada = RecordingSource.Participant(id: "c-a", name: "Ada")
        let bo = RecordingSource.Participant(id: "c-b", name: "Bo")
        for entry in [
            JournalEntry(time: zero + 100, event: .recordingStarted),
            JournalEntry(time: zero + 100, event: .present, participants: [ada]),
            JournalEntry(time: zero + 1_000, event: .joined, participants: [bo]),
            JournalEntry(time: zero + 1_800, event: .moved, participant: bo, subsession: "one"),
            JournalEntry(time: zero + 3_800, event: .left, participants: [ada]),
            JournalEntry(time: zero + 5_100, event: .left, participants: [bo]),
        ] {
            #expect(try JournalFile.append(entry, folder: session.path))
        }
        let titles = [
            "Present: Ada", "Bo joins", "Bo moves to one, cam1 joins", "cam1 leaves", "Ada leaves", "Bo leaves",
        ]
        let report = try session.compose()
        #expect(report.chapters.map(\.title) == titles && report.warnings.isEmpty && report.chat == nil)
        var options = MixOptions()
        options.size = FrameSize(width: 320, height: 180)
        options.fonts = []
        let mixed = try SessionMixer(folder: session.path, output: session.output, options: options).run()
        #expect(mixed.chapters.map(\.title) == titles)
    }

    @Test("REC-2 a session without chat has no subtitle track, and a damaged journal costs only its lines")
    func noJournal() throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.second(at: 100))
        #expect(try session.compose().chat == nil)
        let path = session.path + "/" + JournalFile.name(at: RecordedSession.wallClock / 1_000_000)
        try Data("no journal\n".utf8).write(to: URL(fileURLWithPath: path))
        let report = try session.compose()
        #expect(report.chat == nil && report.warnings.map(\.code) == [.journal] && !report.isDamaged)
    }
}
