import Containers
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@testable import Recording

/// The recorder's thread and its files, fed through a real tap. Packets are in the tap before the recorder starts: its timeouts run by the
/// clock of the machine, not by the arrival times of the packets.
@Suite struct StreamRecorderTests {
    private let folder = TemporaryFolder()

    private func recorder(_ tap: PacketTap) throws -> StreamRecorder {
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        return try StreamRecorder(
            tap: tap, session: "lobby", stream: "cam/1", kinds: [.audio, .video], directory: folder.path, index: index,
            requestKeyFrame: {})
    }

    @Test func streamBecomesAFileAndAnIndexEntry() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        tap.push(TestStream(wallClock: 0xe000_0000_0000_0000).packets())
        // The stream ends.
        tap.close()
        let recorder = try recorder(tap)
        let status = await recorder.ended()
        #expect(status.phase == .ended && status.error == nil)
        #expect(status.statistics.videoFrames == 120 && status.statistics.audioPackets == 200)
        #expect(status.statistics.droppedPackets == 0)
        let path = try #require(status.files.first)
        #expect(path.contains("/cam%2f1-") && path.hasSuffix(".webm"))
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
        #expect(status.statistics.bytes == size)

        let report = try FileDecoder(path: path).run(to: [])
        #expect(report.video?.frames == 120 && report.audio?.packets == 200 && !report.isDamaged)
        #expect(report.isClosed == true && report.hasCues == true)
        #expect(abs(report.audioOffset ?? 1) < 0.002)
        #expect(report.video?.gapCount == 0 && report.audio?.gapCount == 0)

        let entries = try RecordingIndex(session: "lobby", directory: folder.path).entries
        #expect(entries.count == 1)
        #expect(entries[0].stream == "cam/1" && entries[0].tracks == ["video", "audio"])
        #expect(entries[0].startNTP == "\(UInt64(0xe000_0000_0000_0000))")
        #expect(abs((entries[0].duration ?? 0) - 4) < 0.05)
        #expect(entries[0].statistics?.videoFrames == 120)
        let clock = entries[0].clock ?? []
        #expect(Set(clock.map(\.kind)) == [.audio, .video] && clock.allSatisfy { abs($0.lag) < 0.002 })
    }

    @Test("A recording whose frames grow has the largest size in its header, and its mark is gone")
    func growingFrames() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        let video = TestStream.encode(count: 30, width: 80, height: 60) + TestStream.video[..<60]
        tap.push(TestStream(wallClock: 1 << 62).packets(video: video))
        let recorder = try recorder(tap)
        // The reader's lock query is in FileDecoderTests; the mark is gone once the recorder has closed the file.
        let status = await recorder.stop()
        let path = try #require(status.files.first)
        let file = try EncodedFile(path: path)
        #expect(!file.isBeingWritten)
        #expect(file.video?.width == TestStream.width && file.video?.height == TestStream.height)
    }

    @Test("The index says who published the stream, and the header has the announced size until frames say another")
    func source() async throws {
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let participant = RecordingSource.Participant(id: "c7Xb2", name: "Ada Lovelace", identity: "u-1")
        let tap = PacketTap(capacity: 8 << 20)
        tap.push(TestStream().packets(video: []))
        tap.close()
        let recorder = try StreamRecorder(
            tap: tap, session: "lobby", stream: "s1", kinds: [.audio, .video], directory: folder.path, index: index,
            source: RecordingSource(
                participant: participant, streamName: "camera", kinds: [.audio, .video], muted: [.video],
                size: FrameSize(width: 1280, height: 720)),
            requestKeyFrame: {})
        let status = await recorder.ended()
        let entries = try RecordingIndex(session: "lobby", directory: folder.path).entries
        #expect(entries.map(\.participant) == [participant] && entries[0].streamName == "camera")
        #expect(entries[0].tracks == ["video", "audio"])
        // The muted video had no frames: its track is removed from the file.
        let report = try FileDecoder(path: try #require(status.files.first)).run(to: [])
        #expect(report.video == nil && report.audio?.packets == 200 && !report.isDamaged)
    }

    @Test func stopClosesTheFile() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        tap.push(TestStream(wallClock: 1 << 62).packets())
        let recorder = try recorder(tap)
        let status = await recorder.stop()
        #expect(status.phase == .ended && recorder.isEnded && tap.isClosed)
        let reader = try WebMReader(source: FileSource(path: try #require(status.files.first)))
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 320)
        #expect(reader.structure.segmentSizeIsKnown)
    }

    @Test func folderThatIsGoneFailsTheRecordingAlone() async throws {
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let tap = PacketTap(capacity: 8 << 20)
        let recorder = try StreamRecorder(
            tap: tap, session: "lobby", stream: "s", kinds: [.video], directory: folder.path + "/missing", index: index,
            requestKeyFrame: {})
        tap.push(TestStream().packets())
        tap.close()
        let status = await recorder.ended()
        #expect(status.phase == .failed && status.error?.code == "file")
    }

    @Test func streamWithoutAnythingLeavesNoFile() async throws {
        let tap = PacketTap(capacity: 1 << 20)
        let recorder = try recorder(tap)
        tap.close()
        let status = await recorder.ended()
        #expect(status.phase == .ended && status.files.isEmpty)
    }

    /// Copies of a file at the moment when its writer is killed: nothing is written after the copy.
    @Test func killedAtAnyTimeLosesAtMostASecond() throws {
        var recording = StreamRecording(kinds: [.audio, .video])
        let path = folder.file("killed.webm")
        var writer: WebMWriter?
        var checked = 0
        for packet in TestStream(wallClock: 1 << 62).packets() {
            recording.handleTimeout(now: packet.arrival)
            recording.insert(packet)
            for output in recording.outputs() {
                switch output {
                case .open(let start):
                    var configuration = WebMConfiguration(
                        video: .init(width: start.width ?? 1, height: start.height ?? 1), audio: .init(channels: 2))
                    configuration.flushInterval = .milliseconds(200)
                    writer = try WebMWriter(sink: FileSink(path: path), configuration: configuration)
                case .frame(let frame):
                    try writer?.write(
                        frame.kind, timestamp: frame.time, isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
                case .clock, .close: break
                }
            }
            let passed = packet.arrival - .seconds(100)
            guard writer != nil, passed > .milliseconds(Int64(checked) * 250) else { continue }
            checked += 1
            let reader = try WebMReader(source: FileSource(path: path))
            var ends: [Int: MediaTime] = [:]
            while let frame = try reader.next() { ends[frame.track] = frame.timestamp }
            if passed > .seconds(1) {
                #expect((ends[1] ?? .zero) > passed - .seconds(1))
                #expect((ends[2] ?? .zero) > passed - .seconds(1))
            }
            #expect(reader.damage.isEmpty)
        }
        #expect(checked >= 14)
    }
}
