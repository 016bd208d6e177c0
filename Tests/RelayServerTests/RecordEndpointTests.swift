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
