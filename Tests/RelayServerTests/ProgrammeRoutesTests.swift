import Foundation
import MillraceTestKit
import Recording
import RelayServer
import Testing

@Suite("LIV-1 programme of a session over HTTP", .serialized, .timeLimit(.minutes(5)))
struct ProgrammeRoutesTests {
    private let folder = TemporaryFolder()

    private func path(_ media: MediaFixture) -> String { "/v1/sessions/\(media.session)" }

    @Test("A WebM body has the session's video from a key frame on and mixed audio, until the relay drains")
    func webM() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                async let body = http.request("GET", path(media) + "/live.webm")
                try await http.until("millrace_http_live_bodies", isAtLeast: 1)
                try await http.until("millrace_programmes", isAtLeast: 1)
                try await http.until("millrace_http_live_bytes_total", isAtLeast: 60_000)
                await relay.stop()
                let answer = try await body
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "video/webm")
                #expect(answer.fields["cache-control"] == "no-store")
                let file = folder.path + "/body"
                try Data(answer.body).write(to: URL(filePath: file))
                let report = try FileDecoder(path: file).run(to: [])
                #expect(!report.isDamaged)
                #expect(report.video?.codec == "VP8" && report.video?.width == 320 && report.video?.height == 180)
                #expect((report.video?.frames ?? 0) > 10 && report.video?.skipped == 0)
                #expect((report.audio?.packets ?? 0) > 10)
            }
        }
    }

    @Test("Readers share a programme, which ends with its last reader and closes its taps")
    func readers() async throws {
        try await withRelay({ $0.limitProgrammeReaders = 1 }) { relay, http in
            try await withMedia(relay, http: http) { media in
                async let first = http.request("GET", path(media) + "/live.mkv")
                try await http.until("millrace_http_live_bodies", isAtLeast: 1)
                let second = try await http.request("GET", path(media) + "/live.webm")
                #expect(second.status == 503 && second.problemCode == "limitReached")
                #expect(try second.json["limit"] as? String == "limit.programmeReaders")
                await relay.stop()
                let answer = try await first
                #expect(answer.fields["content-type"] == "video/matroska")
            }
        }
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                try await http.begin(
                    "GET \(path(media))/live.webm HTTP/1.1\r\nHost: localhost\r\n\r\n", until: 20_000)
                try await http.until("millrace_programmes", isAtMost: 0)
                try await http.until("millrace_taps", isAtMost: 0)
            }
        }
    }

    @Test("The number of programmes is limited")
    func limit() async throws {
        try await withRelay({ $0.limitProgrammes = 0 }) { relay, http in
            try await withMedia(relay, http: http) { media in
                let answer = try await http.request("GET", path(media) + "/live.webm")
                #expect(answer.status == 503 && answer.problemCode == "limitReached")
                #expect(try answer.json["limit"] as? String == "limit.programmes")
            }
        }
    }

    @Test(
        "A session without media has a programme of silence, which ends with the session; an unknown session has none")
    func silence() async throws {
        try await withRelay { _, http in
            let none = try await http.request("GET", "/v1/sessions/a/live.webm")
            #expect(none.status == 404 && none.problemCode == "unknownSession")
            let created = try await http.request("POST", "/v1/admin/sessions", body: #"{"name":"a"}"#)
            #expect(created.status == 201)
            async let body = http.request("GET", "/v1/sessions/a/live.webm")
            try await http.until("millrace_http_live_bytes_total", isAtLeast: 500)
            let ended = try await http.request("DELETE", "/v1/admin/sessions/a")
            #expect(ended.status < 300)
            let answer = try await body
            #expect(answer.status == 200 && answer.body.count >= 500)
        }
    }

    @Test("A session that requires encryption has no programme")
    func encrypted() async throws {
        try await withRelay { _, http in
            let body = #"{"name":"a","requiresEncryption":true}"#
            let created = try await http.request("POST", "/v1/admin/sessions", body: body)
            #expect(created.status == 201)
            let answer = try await http.request("GET", "/v1/sessions/a/live.webm")
            #expect(answer.status == 409 && answer.problemCode == "streamEncrypted")
        }
    }

    @Test("Programmes need the admin token")
    func token() async throws {
        try await withRelay({ $0.adminToken = "secret-of-the-operator" }) { _, http in
            for path in ["/v1/sessions/a/live.webm", "/v1/admin/sessions/a/live.mkv"] {
                let answer = try await http.request("GET", path)
                #expect(answer.status == 401)
            }
        }
    }
}
