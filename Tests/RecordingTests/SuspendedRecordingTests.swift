import Containers
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import Synchronization
import Testing

@testable import Recording

/// Recordings that the disk refuses for a time. All waits are for events, none for a fixed time.
@Suite(.timeLimit(.minutes(5))) struct SuspendedRecordingTests {
    private let folder = TemporaryFolder()

    private final class DamageReports: Sendable {
        let count = Mutex(0)
    }

    private enum Event: Sendable {
        case change(RecordingChange)
        case keyFrameRequest
    }

    /// A recorder whose changes and key frame requests can be awaited in the order in which they happen: a request before a change says
    /// nothing about the time after it.
    private struct Run {
        let tap = PacketTap(capacity: 8 << 20)
        let recorder: StreamRecorder
        let events: AsyncStream<Event>
        let damage = DamageReports()
        private let start = MediaTime.monotonicNow

        init(_ directory: String, index: RecordingIndex) throws {
            var options = StreamRecording.Options()
            options.retryInterval = .milliseconds(20)
            options.minimumFreeBytes = 400 << 10
            let (events, event) = AsyncStream.makeStream(of: Event.self)
            self.events = events
            recorder = try StreamRecorder(
                tap: tap, session: "lobby", stream: "cam", kinds: [.audio, .video], directory: directory, index: index,
                options: options,
                notify: { [damage] in
                    if case .damaged = $0 { damage.count.withLock { $0 += 1 } }
                    event.yield(.change($0))
                }, requestKeyFrame: { event.yield(.keyFrameRequest) })
        }

        func push(_ packets: [TestStream.Packet]) { tap.push(packets.arriving(from: start)) }

        func suspended() async -> RecordingStatus? {
            for await case .change(.suspended(let status)) in events { return status }
            return nil
        }

        func resumed() async {
            for await case .change(.resumed) in events { return }
        }

        /// Returns at the next request after the last awaited event.
        func keyFrameRequest() async {
            for await case .keyFrameRequest in events { return }
        }
    }

    private let packets = TestStream(wallClock: 1 << 62).packets()

    private func decode(_ path: String?) throws -> DecodeReport {
        let report = try FileDecoder(path: try #require(path)).run(to: [])
        #expect(report.video?.errors == 0 && report.video?.skipped == 0 && report.audio?.errors == 0)
        return report
    }

    @Test("A recording begins when its directory appears")
    func directory() async throws {
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let missing = folder.path + "/missing"
        let run = try Run(missing, index: index)
        run.push(packets.filter { $0.arrival < .seconds(102) })
        let status = try #require(await run.suspended())
        #expect(status.phase == .suspended && status.error?.code == "file" && status.files.isEmpty)
        try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: false)
        // Requested when writing is tried again: the key frame of second 2.
        await run.keyFrameRequest()
        run.push(packets.filter { $0.arrival >= .seconds(102) })
        await run.resumed()
        run.tap.close()
        let end = await run.recorder.ended()
        #expect(end.phase == .ended && end.error == nil && end.files.count == 1)
        #expect(end.statistics.suspensions == 1 && end.statistics.unwrittenFrames > 0)
        let report = try decode(end.files.first)
        #expect(report.video?.frames == 60 && !report.isDamaged)
    }

    @Test(
        "A full disk suspends a recording, and free space resumes it in a new file", .enabled(if: geteuid() == 0),
        arguments: [true, false])
    func fullDisk(fromStart: Bool) async throws {
        let mount = try TemporaryMount(on: folder.path, megabytes: 1)
        defer { mount.end() }
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let ballast = folder.path + "/ballast"
        if fromStart { try fill(ballast) }
        let run = try Run(folder.path, index: index)
        run.push(packets.filter { $0.arrival < .seconds(101) })
        if !fromStart {
            while run.recorder.status.statistics.bytes < 20_000 { await Task.yield() }
            try fill(ballast)
            run.push(packets.filter { $0.arrival >= .seconds(101) && $0.arrival < .seconds(102) })
        }
        let status = try #require(await run.suspended())
        #expect(status.phase == .suspended && status.error?.code == "diskFull")
        #expect(run.recorder.status.phase == .suspended && !run.recorder.isEnded)
        try FileManager.default.removeItem(atPath: ballast)
        await run.keyFrameRequest()
        run.push(packets.filter { $0.arrival >= .seconds(102) })
        await run.resumed()
        run.tap.close()
        let end = await run.recorder.ended()
        #expect(end.phase == .ended && end.error == nil && end.statistics.suspensions == 1)
        #expect(end.files.count == (fromStart ? 1 : 2))
        let report = try decode(end.files.last)
        #expect(report.video?.frames == 60 && !report.isDamaged && report.isClosed == true)
        if !fromStart { #expect((try decode(end.files.first).video?.frames ?? 0) >= 20) }
        let entries = try RecordingIndex(session: "lobby", directory: folder.path).entries
        #expect(entries.map(\.file).map { folder.path + "/" + $0 } == end.files)
        if !fromStart { #expect(entries.first?.error != nil) }
    }

    @Test("A recording that is stopped while the disk is full has failed, and reports the cause")
    func stopped() async throws {
        let index = try RecordingIndex(session: "lobby", directory: folder.path)
        let run = try Run(folder.path + "/missing", index: index)
        run.push(packets)
        _ = await run.suspended()
        let end = await run.recorder.stop()
        #expect(end.phase == .failed && end.error?.code == "file" && end.files.isEmpty)
    }

    @Test("Damage is reported")
    func damage() async throws {
        let run = try Run(folder.path, index: try RecordingIndex(session: "lobby", directory: folder.path))
        for second in 100..<104 {
            let part = packets.filter {
                $0.arrival >= .seconds(Double(second)) && $0.arrival < .seconds(Double(second + 1))
            }
            run.push(part.moving(.audio, by: 1 << 30) { $0 % 2 == 0 })
            while !run.tap.isEmpty { await Task.yield() }
        }
        _ = await run.recorder.stop()
        #expect(run.damage.count.withLock { $0 } > 0)
    }

    /// Writes zeros until the disk is full.
    private func fill(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        for size in [65_536, 4_096, 1] {
            let block = [UInt8](repeating: 0, count: size)
            while write(descriptor, block, size) > 0 {}
        }
    }
}
