import Containers
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@testable import Recording

/// Files of hostile publishers, read by the real decoder and by ffprobe.
@Suite struct HostileFileTests {
    private let folder = TemporaryFolder()

    private func record(_ packets: [TestStream.Packet]) async throws -> RecordingStatus {
        let tap = PacketTap(capacity: 64 << 20)
        // Before the recorder starts: its timeouts run by the clock of the machine, not by the arrival times of the packets.
        tap.push(packets)
        tap.close()
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let recorder = try StreamRecorder(
            tap: tap, session: "lobby", stream: "cam", kinds: [.audio, .video], directory: folder.path, index: index,
            requestKeyFrame: {})
        return await recorder.ended()
    }

    /// Checks with ffprobe, if it is installed, that times increase from packet to packet within each track.
    private func expectOrdered(_ path: String) throws {
        let probe = "/usr/bin/ffprobe"
        guard FileManager.default.isExecutableFile(atPath: probe) else { return }
        let process = Process()
        process.executableURL = URL(filePath: probe)
        process.arguments = ["-v", "error", "-show_entries", "packet=stream_index,pts", "-of", "csv=p=0", path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var last: [Int: Int] = [:]
        var count = 0
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ",").compactMap { Int($0) }
            guard fields.count == 2 else {
                Issue.record("ffprobe: \(line)")
                continue
            }
            #expect(fields[1] > last[fields[0]] ?? -1_000)
            last[fields[0]] = fields[1]
            count += 1
        }
        #expect(count > 100)
    }

    @Test("A forged key frame of size zero and a frame 2^30 ticks ahead do not stop the recording")
    func forgedFrames() async throws {
        let packets = TestStream(wallClock: 1 << 62).packets()
            .forging(ForgedPayload.keyFrame(width: 0, height: 0), after: 20)
            .moving(.video, by: 1 << 30) { $0 == 70 }
            .moving(.audio, by: -(1 << 30)) { $0 == 120 }
        let status = try await record(packets)
        #expect(status.phase == .ended && status.error == nil && status.files.count == 1)
        // Frames 21 to 29 follow the damaged key frame.
        #expect(status.statistics.videoFrames == 111)
        #expect(status.statistics.damagedFrames == 1 && status.statistics.timeJumps >= 4)
        let path = try #require(status.files.first)
        let report = try FileDecoder(path: path).run(to: [])
        #expect(report.video?.frames == 111 && report.video?.errors == 0 && report.video?.skipped == 0)
        #expect((report.audio?.packets ?? 0) >= 198 && report.audio?.errors == 0 && !report.isDamaged)
        #expect(abs((report.video?.end ?? 0) - 119.0 / 30) < 0.1 && abs((report.audio?.end ?? 0) - 4) < 0.1)
        try expectOrdered(path)
        let entry = try #require(try RecordingIndex(session: "lobby", directory: folder.path).entries.first)
        #expect(entry.statistics?.damagedFrames == 1 && (entry.statistics?.timeJumps ?? 0) >= 4)
    }

    @Test("Sizes that change with every key frame are recorded and decoded")
    func sizes() async throws {
        var video: [TestStream.Encoded] = []
        for (index, width) in [160, 16, 640, 18, 320].enumerated() {
            video += TestStream.encode(count: 12 + index, width: width, height: width / 2 + 8)
        }
        let status = try await record(TestStream(wallClock: 1 << 62).packets(video: video))
        #expect(status.statistics.videoFrames == 70 && status.phase == .ended)
        let report = try FileDecoder(path: try #require(status.files.first)).run(to: [])
        #expect(report.video?.frames == 70 && report.video?.sizeChanges == 4 && !report.isDamaged)
    }

    @Test("A flood of key frames leaves a file of few clusters that decodes")
    func keyFrames() async throws {
        let key = TestStream.video[0]
        var packets = TestStream(wallClock: 1 << 62).packets(video: Array(repeating: key, count: 2_000))
        for index in packets.indices where packets[index].kind == .video {
            let frame = Int64(packets[index].frame)
            packets[index].timestamp = TestStream().videoTicks + frame * 180
            packets[index].arrival = .seconds(100) + .milliseconds(frame * 2)
        }
        packets.sort { ($0.arrival, $0.sequence) < ($1.arrival, $1.sequence) }
        let status = try await record(packets)
        #expect(status.statistics.videoFrames == 2_000)
        let path = try #require(status.files.first)
        let report = try FileDecoder(path: path).run(to: [])
        #expect(report.video?.frames == 2_000 && !report.isDamaged)
        #expect((report.clusters ?? .max) <= 50)
        try expectOrdered(path)
    }

    @Test("Files of a recording are readable by owner and group alone")
    func permissions() async throws {
        let inner = folder.path + "/made/lobby"
        let tap = PacketTap(capacity: 8 << 20)
        tap.push(TestStream(wallClock: 1 << 62).packets())
        tap.close()
        let recorder = try StreamRecorder(
            tap: tap, session: "lobby", stream: "cam", kinds: [.audio, .video], directory: inner,
            index: try RecordingIndex(session: "lobby", directory: inner), requestKeyFrame: {})
        let status = await recorder.ended()
        func mode(_ path: String) throws -> Int {
            try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(try #require(status.files.first)) == 0o640)
        #expect(try mode(inner + "/index.json") == 0o640)
        #expect(try mode(inner) == 0o750 && mode(folder.path + "/made") == 0o750)
        #expect(try FileManager.default.contentsOfDirectory(atPath: inner).count == 2)
    }

    @Test("An index of an earlier version is read: missing counters are zero")
    func earlierIndex() throws {
        let text = """
            {"version":1,"session":"lobby","files":[{"stream":"cam","file":"a.webm","start":"","startUnixNanoseconds":5,
            "offset":0,"tracks":["video"],"statistics":{"videoFrames":7,"audioPackets":0,"gaps":0,"lostPackets":0,
            "droppedFrames":0,"droppedPackets":0,"unorderedFrames":0,"keyFrameRequests":1,"timeJumps":0,"bytes":9,"duration":3}}]}
            """
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/index.json"))
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        #expect(index.entries.first?.statistics?.videoFrames == 7)
        #expect(index.entries.first?.statistics?.suspensions == 0 && index.entries.first?.statistics?.bytes == 9)
    }
}
