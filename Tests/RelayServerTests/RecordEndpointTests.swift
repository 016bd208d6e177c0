import Foundation
import MillraceTestKit
import RelayServer
import Testing

@Suite("Recording by HTTP and by configuration", .serialized)
struct RecordEndpointTests {
    @Test func startStatusStop() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ $0.recordingDirectory = folder.path }) { relay, http in
            try await withMedia(relay, http: http) { media in
                let path = media.path + "/record"
                let none = try await http.request("GET", path)
                #expect(none.status == 404 && none.problemCode == "unknownRecording")
                let start = try await http.request("POST", path, body: #"{"action":"start"}"#)
                #expect(start.status == 201)
                let twice = try await http.request("POST", path, body: #"{"action":"start"}"#)
                #expect(twice.status == 409 && twice.problemCode == "recordingExists")
                let list = try await http.request("GET", "/v1/sessions/\(media.session)/streams").json
                #expect((list["streams"] as? [[String: Any]])?.first?["recording"] as? Bool == true)
                try await http.until("millrace_recordings", isAtLeast: 1)

                var frames = 0
                while frames < 5 {
                    frames = try await http.request("GET", path).json["videoFrames"] as? Int ?? 0
                }
                let stop = try await http.request("POST", path, body: #"{"action":"stop"}"#)
                #expect(stop.status == 200)
                let json = try stop.json
                #expect(json["phase"] as? String == "ended")
                let file = try #require((json["files"] as? [String])?.first)
                #expect(file.hasPrefix(folder.path) && file.hasSuffix(".webm"))
                #expect(try Data(contentsOf: URL(filePath: file)).starts(with: [0x1a, 0x45, 0xdf, 0xa3]))
                let again = try await http.request("POST", path, body: #"{"action":"stop"}"#)
                #expect(again.status == 404 && again.problemCode == "unknownRecording")
            }
        }
    }

    @Test(
        "The decode command reports a recording that is still being written by a distinct exit code",
        .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"), .timeLimit(.minutes(2)))
    func verifyWhileWritten() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ $0.recordingDirectory = folder.path }) { relay, http in
            try await withMedia(relay, http: http) { media in
                let path = media.path + "/record"
                #expect(try await http.request("POST", path, body: #"{"action":"start"}"#).status == 201)
                var files: [String] = []
                while files.isEmpty { files = try await http.request("GET", path).json["files"] as? [String] ?? [] }
                // Repeated at different times during the recording.
                for _ in 0..<10 {
                    let open = try await MillraceProcess.run(["decode", "--verify", files[0]])
                    #expect(open.status == 3 && open.output.hasSuffix("  still being written\n"), "\(open)")
                    #expect(open.errors.isEmpty)
                }
                #expect(try await http.request("POST", path, body: #"{"action":"stop"}"#).status == 200)
                let closed = try await MillraceProcess.run(["decode", "--verify", files[0]])
                #expect(closed.status == 0 && closed.output.hasSuffix("  whole\n"), "\(closed)")
            }
        }
    }

    @Test func everythingIsRecordedWhereThatIsWanted() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ $0.record = folder.path }) { relay, http in
            try await withMedia(relay, http: http) { media in
                var frames = 0
                while frames < 5 {
                    frames = try await http.request("GET", media.path + "/record").json["videoFrames"] as? Int ?? 0
                }
                // Stopping the relay closes the file.
                await relay.stop()
                let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                #expect(names.contains { $0.hasSuffix(".webm") })
            }
        }
    }

    @Test("REC-2 a session is recorded as a whole, and composed to one file when its recording is stopped")
    func wholeSession() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ $0.recordingDirectory = folder.path }) { relay, http in
            let unknown = try await http.request("POST", "/v1/sessions/no/record", body: #"{"action":"start"}"#)
            #expect(unknown.status == 404 && unknown.problemCode == "unknownSession")
            try await withMedia(relay, http: http) { media in
                let path = "/v1/sessions/\(media.session)/record"
                let none = try await http.request("POST", path, body: #"{"action":"stop"}"#)
                #expect(none.status == 404 && none.problemCode == "unknownRecording")
                let start = try await http.request("POST", path, body: #"{"action":"start"}"#)
                #expect(try start.status == 201 && start.json["isRecorded"] as? Bool == true)
                var frames = 0
                while frames < 20 {
                    let streams = try await http.request("GET", path).json["streams"] as? [[String: Any]]
                    frames = streams?.first?["videoFrames"] as? Int ?? 0
                }
                let stop = try await http.request("POST", path, body: #"{"action":"stop"}"#)
                #expect(try stop.status == 200 && stop.json["isRecorded"] as? Bool == false)
                #expect(try (stop.json["streams"] as? [[String: Any]])?.first?["phase"] as? String == "ended")
                var composed: [String: Any] = [:]
                while composed["phase"] as? String != "composed" {
                    composed = try (await http.request("GET", path).json["composed"] as? [[String: Any]])?.first ?? [:]
                    try #require(composed["phase"] as? String != "failed", "\(composed)")
                }
                let file = try #require(composed["file"] as? String)
                #expect(file.hasPrefix(folder.path) && file.contains("/session.2") && file.hasSuffix(".mkv"))
                #expect(try Data(contentsOf: URL(filePath: file)).count == composed["bytes"] as? Int)
                #expect(try #require(composed["duration"] as? Double) > 1 && composed["warnings"] as? Int == 0)
                try await http.until("millrace_recording_compositions_total{result=\"composed\"}", isAtLeast: 1)
                // The stream is still published, and is not recorded again.
                let after = try await http.request("GET", path).json
                #expect((after["streams"] as? [[String: Any]])?.count == 1)
            }
        }
    }

    @Test("REC-2 streams that are published later are recorded with their session")
    func laterStreams() async throws {
        let folder = TemporaryFolder()
        try await withRelay({ configuration in
            configuration.recordingDirectory = folder.path
            configuration.recordingCompose = false
        }) { relay, http in
            try await withMedia(relay, http: http) { media in
                let path = "/v1/sessions/\(media.session)/record"
                #expect(try await http.request("POST", path, body: #"{"action":"start"}"#).status == 201)
                // A publisher without media: its recording waits for a key frame.
                let late = try await http.request(
                    "POST", "/v1/sessions/\(media.session)/plain",
                    body: #"{"direction":"publish","stream":"late","audio":{}}"#)
                try #require(late.status == 201, "\(late.text)")
                var streams: [String] = []
                while !streams.contains("late") {
                    let all = try await http.request("GET", path).json["streams"] as? [[String: Any]] ?? []
                    streams = all.compactMap { $0["stream"] as? String }
                }
                #expect(streams.count == 2)
                let stop = try await http.request("POST", path, body: #"{"action":"stop"}"#).json
                let phases = (stop["streams"] as? [[String: Any]])?.compactMap { $0["phase"] as? String }
                #expect(phases == ["ended", "ended"] && (stop["composed"] as? [Any])?.isEmpty == true)
            }
        }
    }

    @Test func badRequests() async throws {
        try await withRelay { _, http in
            let path = "/v1/sessions/a/streams/s/record"
            let action = try await http.request("POST", path, body: #"{"action":"rewind"}"#)
            #expect(try action.status == 422 && action.json["field"] as? String == "action")
            let disabled = try await http.request("POST", path, body: #"{"action":"start"}"#)
            #expect(disabled.status == 409 && disabled.problemCode == "recordingDisabled")
        }
        let folder = TemporaryFolder()
        try await withRelay({ $0.recordingDirectory = folder.path }) { _, http in
            let unknown = try await http.request(
                "POST", "/v1/sessions/a/streams/s/record", body: #"{"action":"start"}"#)
            #expect(unknown.status == 404 && unknown.problemCode == "unknownSession")
        }
    }

    @Test func anUnusableDirectoryIsATypedError() async throws {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        configuration.record = "/proc/self/status/recordings"
        let relay = Relay(configuration: configuration)
        let error = await #expect(throws: RelayError.self) { try await relay.start() }
        guard case .recordingDirectory(let path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path == configuration.record)
    }
}
