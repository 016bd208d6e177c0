import Foundation
import Glibc
import MillraceTestKit
import NIOCore
import NIOPosix
import Recording
import RelayServer
import Testing

@Suite("LIV-1 live streams over HTTP", .serialized, .timeLimit(.minutes(5)))
struct LiveRoutesTests {
    private let folder = TemporaryFolder()

    /// Decodes a body as a file.
    private func decode(_ body: [UInt8]) throws -> DecodeReport {
        let path = folder.path + "/body"
        try Data(body).write(to: URL(filePath: path))
        return try FileDecoder(path: path).run(to: [])
    }

    @Test("A WebM body has video from a key frame on and audio, until the relay drains")
    func webM() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                async let body = http.request("GET", media.path + "/live.webm")
                try await http.until("millrace_http_live_bodies", isAtLeast: 1)
                try await http.until("millrace_http_live_bytes_total", isAtLeast: 60_000)
                await relay.stop()
                let answer = try await body
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "video/webm")
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["access-control-allow-origin"] == "*")
                let report = try decode(answer.body)
                #expect(!report.isDamaged && report.isClosed == false && report.hasCues == false)
                #expect(report.video?.codec == "VP8" && report.video?.width == 320 && report.video?.height == 180)
                // A file that begins with another frame has skipped ones.
                #expect((report.video?.frames ?? 0) > 10 && report.video?.skipped == 0)
                #expect((report.audio?.packets ?? 0) > 10)
                #expect(abs(report.audioOffset ?? 1) < 0.5)
            }
        }
    }

    @Test("A Matroska body of the same stream, below the admin API too")
    func matroska() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                let path = "/v1/admin\(media.path.dropFirst(3))"
                async let body = http.request("GET", path + "/live.mkv")
                try await http.until("millrace_http_live_bytes_total", isAtLeast: 20_000)
                await relay.stop()
                let answer = try await body
                #expect(answer.status == 200 && answer.fields["content-type"] == "video/matroska")
                #expect((try decode(answer.body).video?.frames ?? 0) > 10)
            }
        }
    }

    @Test("A client that disconnects ends its tap")
    func disconnect() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                try await http.begin("GET \(media.path)/live.webm HTTP/1.1\r\nHost: localhost\r\n\r\n", until: 20_000)
                try await http.until("millrace_taps", isAtMost: 0)
                try await http.until("millrace_http_live_bodies", isAtMost: 0)
                // A HEAD request opens no body.
                let head = try await http.request("HEAD", media.path + "/live.webm")
                #expect(head.status == 200 && head.fields["content-type"] == "video/webm")
                try await http.until("millrace_taps", isAtMost: 0)
            }
        }
    }

    /// Requests a live stream and reads nothing of the answer.
    private func stall(_ http: RawHTTPClient, _ path: String) async throws -> any Channel {
        // Small buffers of the kernel fill within seconds: segments are small because the relay's buffer grows with their size.
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .channelOption(.tcpOption(.init(rawValue: TCP_MAXSEG)), value: 536)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: http.port).get()
        try await channel.writeAndFlush(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        return channel
    }

    @Test("A reader that stops reading is disconnected when it falls behind the third time; others get every frame")
    func stalled() async throws {
        let (skips, disconnects) = ("millrace_http_live_skips_total", "millrace_http_live_disconnects_total")
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                async let body = http.request("GET", media.path + "/live.webm")
                try await http.until("millrace_http_live_bodies", isAtLeast: 1)
                let reader = try await stall(http, media.path + "/live.webm")
                try await http.until("millrace_http_live_bodies", isAtLeast: 2)
                for count in 1...2 {
                    try await http.until(skips, isAtLeast: Double(count))
                    try await http.until(disconnects, isAtMost: 0)
                    #expect(reader.isActive)
                }
                try await http.until(skips, isAtLeast: 3)
                try await http.until(disconnects, isAtLeast: 1)
                try await http.until("millrace_http_live_bodies", isAtMost: 1)
                // The bytes in the buffers of the kernel come before the end.
                try await reader.setOption(.autoRead, value: true).get()
                try await reader.closeFuture.get()

                // The other reader goes on.
                let metrics = try await http.request("GET", "/metrics").text
                let row = metrics.split(separator: "\n").first { $0.hasPrefix("millrace_http_live_bytes_total ") }
                let bytes = try #require(row?.split(separator: " ").last.flatMap { Double($0) })
                try await http.until("millrace_http_live_bytes_total", isAtLeast: bytes + 60_000)
                // Only the stalled reader has skipped and was disconnected.
                try await http.until(skips, isAtLeast: 3, isAtMost: 3)
                try await http.until(disconnects, isAtLeast: 1, isAtMost: 1)
                await relay.stop()
                let report = try decode(try await body.body)
                // Frames of the 15 s in which the stalled reader has skipped, at 15 a second.
                #expect(!report.isDamaged && (report.video?.frames ?? 0) > 200 && report.video?.skipped == 0)
            }
        }
    }

    @Test("Readers of live streams count as taps")
    func limit() async throws {
        try await withRelay({ $0.limitTaps = 1 }) { relay, http in
            try await withMedia(relay, http: http) { media in
                async let first = http.request("GET", media.path + "/live.webm")
                try await http.until("millrace_taps", isAtLeast: 1)
                let second = try await http.request("GET", media.path + "/live.webm")
                #expect(second.status == 503 && second.problemCode == "limitReached")
                #expect(try second.json["limit"] as? String == "limit.taps")
                await relay.stop()
                _ = try await first
            }
        }
    }

    @Test("Unknown streams and H.264 as WebM are refused, and the end of a stream ends the body")
    func refusals() async throws {
        try await withRelay { _, http in
            let none = try await http.request("GET", "/v1/sessions/a/streams/s/live.webm")
            #expect(none.status == 404 && none.problemCode == "unknownSession")
            let open = try await http.request(
                "POST", "/v1/sessions/a/plain",
                body: #"{"direction":"publish","stream":"s","video":{"codec":"H264"}}"#)
            #expect(open.status == 201)
            let unknown = try await http.request("GET", "/v1/sessions/a/streams/t/live.webm")
            #expect(unknown.status == 404 && unknown.problemCode == "unknownStream")
            let codec = try await http.request("GET", "/v1/sessions/a/streams/s/live.webm")
            #expect(codec.status == 409 && codec.problemCode == "codecMismatch")
            let method = try await http.request("POST", "/v1/sessions/a/streams/s/live.webm", body: "{}")
            #expect(method.status == 405 && method.fields["allow"] == "GET, HEAD, OPTIONS")

            async let body = http.request("GET", "/v1/sessions/a/streams/s/live.mkv")
            try await http.until("millrace_http_live_bodies", isAtLeast: 1)
            let id = try #require(try open.json["id"] as? String)
            #expect(try await http.request("DELETE", "/v1/sessions/a/plain/\(id)").status < 300)
            let answer = try await body
            // No frame was sent, so that the file has not begun.
            #expect(answer.status == 200 && answer.body.isEmpty)
        }
    }

    @Test("Live streams need the admin token")
    func token() async throws {
        try await withRelay({ $0.adminToken = "secret-of-the-operator" }) { _, http in
            for path in ["/v1/sessions/a/streams/s/live.webm", "/v1/admin/sessions/a/streams/s/live.mkv"] {
                let answer = try await http.request("GET", path)
                #expect(answer.status == 401)
            }
        }
    }
}
