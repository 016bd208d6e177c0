import Foundation
import RelayServer
import Testing

@Suite("CAN-2 canvas over HTTP", .serialized)
struct CanvasEndpointTests {
    @Test func still() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                let answer = try await http.request("GET", media.path + "/canvas.png")
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "image/png")
                #expect(answer.fields["access-control-allow-origin"] == "*")
                #expect(answer.body.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
                // IHDR: width and height, big-endian.
                #expect(Array(answer.body[16..<24]) == [0, 0, 1, 64, 0, 0, 0, 180])
            }
        }
    }

    @Test func framesFlowUntilTheRelayDrains() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                async let body = http.request("GET", media.path + "/canvas.y4m?rate=15")
                try await http.until("millrace_http_canvas_bytes_total", isAtLeast: 400_000)
                await relay.stop()
                let answer = try await body
                #expect(answer.status == 200)
                let header = Array("YUV4MPEG2 W320 H180 F15:1".utf8)
                #expect(answer.body.starts(with: header))
                let frame = 320 * 180 * 3 / 2 + 6
                let line = try #require(answer.body.firstIndex(of: 10)) + 1
                #expect((answer.body.count - line) % frame == 0, "whole frames only")
                #expect((answer.body.count - line) / frame >= 4)
            }
        }
    }

    @Test func audioFlowsUntilTheRelayDrains() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                async let body = http.request("GET", media.path + "/canvas.wav")
                try await http.until("millrace_http_canvas_bytes_total", isAtLeast: 60_000)
                await relay.stop()
                let answer = try await body
                #expect(answer.status == 200)
                #expect(answer.body.starts(with: Array("RIFF".utf8)))
                // The audio has a test tone: at least one sample is well above zero.
                let samples = stride(from: 1_000, to: answer.body.count - 1, by: 2).map {
                    Int16(truncatingIfNeeded: Int(answer.body[$0]) | Int(answer.body[$0 + 1]) << 8)
                }
                #expect((samples.max() ?? 0) > 1_000)
            }
        }
    }

    @Test("Video in a format that cannot be decoded is answered with 409, as still and as frames")
    func undecodable() async throws {
        try await withRelay { relay, http in
            let publisher = try await HostilePublisher(try #require(relay.engine), codec: .vp9)
            func check(_ answer: RawHTTPResponse) async throws {
                #expect(answer.status == 409 && answer.problemCode == "codecNotDecodable")
                try await http.until("millrace_taps", isAtMost: 0)
            }
            let path = publisher.path
            async let frames = http.request("GET", "\(path)/canvas.y4m")
            try await http.until("millrace_taps", isAtLeast: 1)
            // VP9 in profile 3.
            try publisher.send("gstreamer-1.22-vp9")
            try await check(await frames)
            // These begin with the frames that the engine has cached.
            for endpoint in ["canvas.png", "canvas.y4m"] {
                try await check(await http.request("GET", "\(path)/\(endpoint)"))
            }
        }
    }

    @Test func aClientThatGoesAwayEndsItsTap() async throws {
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                try await http.begin("GET \(media.path)/canvas.y4m HTTP/1.1\r\nHost: localhost\r\n\r\n", until: 200_000)
                try await http.until("millrace_taps", isAtMost: 0)
                try await http.until("millrace_http_canvas_bodies", isAtMost: 0)
            }
        }
    }

    @Test func tapsHaveALimit() async throws {
        try await withRelay({ $0.limitTaps = 1 }) { relay, http in
            try await withMedia(relay, http: http) { media in
                async let first = http.request("GET", media.path + "/canvas.wav")
                try await http.until("millrace_taps", isAtLeast: 1)
                let second = try await http.request("GET", media.path + "/canvas.wav")
                #expect(second.status == 503 && second.problemCode == "limitReached")
                #expect(try second.json["limit"] as? String == "limit.taps")
                await relay.stop()
                _ = try await first
            }
        }
    }

    @Test func whatIsNotThereIsSaidSo() async throws {
        try await withRelay { _, http in
            let none = try await http.request("GET", "/v1/sessions/a/streams/s/canvas.png")
            #expect(none.status == 404 && none.problemCode == "unknownSession")
            let open = try await http.request(
                "POST", "/v1/sessions/a/plain", body: #"{"direction":"publish","stream":"s","audio":{}}"#)
            #expect(open.status == 201)
            let stream = try await http.request("GET", "/v1/sessions/a/streams/t/canvas.png")
            #expect(stream.status == 404 && stream.problemCode == "unknownStream")
            for endpoint in ["canvas.png", "canvas.y4m"] {
                let answer = try await http.request("GET", "/v1/sessions/a/streams/s/\(endpoint)")
                #expect(answer.status == 404 && answer.problemCode == "noTrack")
            }
            let rate = try await http.request("GET", "/v1/sessions/a/streams/s/canvas.y4m?rate=0")
            #expect(try rate.status == 422 && rate.json["field"] as? String == "rate")
            let method = try await http.request("POST", "/v1/sessions/a/streams/s/canvas.png", body: "{}")
            #expect(method.status == 405 && method.fields["allow"] == "GET, HEAD, OPTIONS")
        }
    }
}
