import Foundation
import MediaBase
import MillraceTestKit
import Recording
import RelayServer
import Testing

@Suite("Canvas and recording of a hostile publisher", .serialized, .timeLimit(.minutes(5)))
struct HostileMediaTests {
    @Test("CAN-2: RTP time that jumps is not filled in a Y4M body, and the frames after it come through")
    func canvasFrames() async throws {
        try await withRelay { relay, http in
            let publisher = try await HostilePublisher(try #require(relay.engine))
            let path = publisher.path + "/canvas.y4m?rate=120"
            async let body = http.request("GET", path)
            try await http.until("millrace_taps", isAtLeast: 1)
            try publisher.sendFrame(isKey: true)
            // Three jumps of 9.9 s and one of 2^31 ticks.
            for step in [891_000, 891_000, 891_000, 1 << 31] as [UInt32] { try publisher.sendFrame(after: step) }
            try await http.until("millrace_http_canvas_time_jumps_total", isAtLeast: 1)
            for _ in 0..<20 { try publisher.sendFrame() }
            try await http.until("millrace_packets_received_total", isAtLeast: 25)
            let frame = HostilePublisher.width * HostilePublisher.height * 3 / 2 + 6
            try await http.until("millrace_http_canvas_bytes_total", isAtLeast: Double(20 * frame))
            await relay.stop()
            let answer = try await body
            let line = try #require(answer.body.firstIndex(of: 10)) + 1
            let frames = (answer.body.count - line) / frame
            #expect((answer.body.count - line) % frame == 0)
            // Filling a jump would add 1,188 frames; only the time that really passed is filled.
            #expect(frames >= 20 && frames < 1_000)
        }
    }

    @Test("CAN-2: RTP time that jumps is not filled in a WAV body, and the audio after it comes through")
    func canvasAudio() async throws {
        try await withRelay { relay, http in
            let publisher = try await HostilePublisher(try #require(relay.engine))
            let path = publisher.path + "/canvas.wav"
            async let body = http.request("GET", path)
            try await http.until("millrace_taps", isAtLeast: 1)
            try publisher.sendAudio()
            // Two jumps of 9.9 s, one of 500 s and one of 2^31 ticks.
            for step in [475_200, 475_200, 24_000_000, 1 << 31] as [UInt32] { try publisher.sendAudio(after: step) }
            try await http.until("millrace_http_canvas_time_jumps_total", isAtLeast: 1)
            for _ in 0..<25 { try publisher.sendAudio() }
            try await http.until("millrace_http_canvas_bytes_total", isAtLeast: Double(25 * 3_840))
            await relay.stop()
            let answer = try await body
            let seconds = Double(answer.body.count) / 192_000
            #expect(seconds > 0.5 && seconds < 9)
        }
    }

    @Test("A frame of 16383x16383 and one of 0x0 are skipped, and a canvas reader gets the other frames")
    func canvasSizes() async throws {
        try await withRelay { relay, http in
            let publisher = try await HostilePublisher(try #require(relay.engine))
            let path = publisher.path + "/canvas.y4m"
            async let body = http.request("GET", path)
            try await http.until("millrace_taps", isAtLeast: 1)
            try publisher.sendFrame(isKey: true)
            try publisher.send(.video, Self.keyFrame(16_383, 16_383), marker: true)
            try publisher.send(.video, Self.keyFrame(0, 0), marker: true)
            for _ in 0..<10 { try publisher.sendFrame(isKey: true) }
            let frame = HostilePublisher.width * HostilePublisher.height * 3 / 2 + 6
            try await http.until("millrace_http_canvas_bytes_total", isAtLeast: Double(8 * frame))
            await relay.stop()
            let answer = try await body
            #expect(answer.body.starts(with: Array("YUV4MPEG2 W160 H120".utf8)))
        }
    }

    @Test("A recording continues after a forged key frame of size zero and a frame 2^30 ticks ahead, and reports them")
    func recording() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ $0.recordingDirectory = folder.path + "/recordings" }) { relay, http in
            let publisher = try await HostilePublisher(try #require(relay.engine))
            let path = publisher.path + "/record"
            #expect(try await http.request("POST", path, body: #"{"action":"start"}"#).status == 201)
            try publisher.sendAudio()
            for index in 0..<10 { try publisher.sendFrame(isKey: index == 0) }
            try publisher.send(.video, Self.keyFrame(0, 0), marker: true)
            try publisher.sendFrame(isKey: true, after: 1 << 30)
            publisher.ticks[.video, default: 0] &-= 1 << 30
            for index in 0..<10 { try publisher.sendFrame(isKey: index == 5) }
            var answer: [String: Any] = [:]
            while answer["videoFrames"] as? Int ?? 0 < 21 { answer = try await http.request("GET", path).json }
            #expect(answer["phase"] as? String == "recording")
            #expect(answer["damagedFrames"] as? Int == 1)
            #expect(answer["timeJumps"] as? Int ?? 0 >= 2)
            try await http.until("millrace_recording_damaged_frames_total", isAtLeast: 1)
            let stop = try await http.request("POST", path, body: #"{"action":"stop"}"#).json
            #expect(stop["phase"] as? String == "ended" && stop["error"] == nil)
            let file = try #require((stop["files"] as? [String])?.first)
            let report = try FileDecoder(path: file).run(to: [])
            #expect(report.video?.frames == 21 && !report.isDamaged)
            #expect((report.video?.end ?? .infinity) < 60)
            let manager = FileManager.default
            #expect(try manager.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o640)
            let directory = try manager.attributesOfItem(atPath: folder.path + "/recordings")
            #expect(directory[.posixPermissions] as? Int == 0o750)
        }
    }

    @Test("The API reports a full disk, and the recording resumes when there is space", .enabled(if: geteuid() == 0))
    func fullDisk() async throws {
        let folder = TemporaryFolder()
        let mount = try TemporaryMount(on: folder.path, megabytes: 20)
        defer { mount.end() }
        let ballast = folder.path + "/ballast"
        try #require(FileManager.default.createFile(atPath: ballast, contents: Data(count: 18 << 20)))
        let rest = FileHandle(forWritingAtPath: ballast)
        _ = try rest?.seekToEnd()
        while (try? rest?.write(contentsOf: Data(count: 4_096))) != nil {}
        try rest?.close()
        try await withRelay({ $0.record = folder.path }) { relay, http in
            try await withMedia(relay, http: http) { media in
                let path = media.path + "/record"
                func until(_ phase: String) async throws -> [String: Any] {
                    let deadline = ContinuousClock.now + .seconds(60)
                    var answer: [String: Any] = [:]
                    while answer["phase"] as? String != phase, ContinuousClock.now < deadline {
                        answer = try await http.request("GET", path).json
                    }
                    return answer
                }
                let suspended = try await until("suspended")
                #expect(suspended["phase"] as? String == "suspended" && suspended["reason"] as? String == "diskFull")
                try await http.until("millrace_recordings_suspended", isAtLeast: 1)
                try FileManager.default.removeItem(atPath: ballast)
                let resumed = try await until("recording")
                #expect(resumed["phase"] as? String == "recording" && resumed["error"] == nil)
                #expect(resumed["suspensions"] as? Int == 1)
                let stop = try await http.request("POST", path, body: #"{"action":"stop"}"#).json
                #expect(stop["phase"] as? String == "ended")
            }
        }
    }

    /// Returns a complete VP8 key frame of a size after a one-byte descriptor (RFC 6386 section 9.1, RFC 7741 section 4.2).
    private static func keyFrame(_ width: Int, _ height: Int) -> [UInt8] {
        let size = [width & 0xff, width >> 8, height & 0xff, height >> 8].map { UInt8($0) }
        let head: [UInt8] = [0x10, 0x10, 0, 0, 0x9d, 0x01, 0x2a]
        return head + size + [UInt8](repeating: 0, count: 40)
    }
}
