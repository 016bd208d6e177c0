import Foundation
import NIOCore
import RelayServer
import Testing

@Suite("HTTP endpoints: invalid requests get precise errors")
struct HTTPEndpointTests {
    @Test func healthAndReadiness() async throws {
        try await withRelay { _, http in
            let health = try await http.request("GET", "/healthz")
            #expect(health.status == 200 && health.text == "ok\n")
            let ready = try await http.request("GET", "/readyz")
            #expect(ready.status == 200 && ready.text == "ready\n")
            let head = try await http.request("HEAD", "/healthz")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test(
        "errors are problem documents with a code, and pages can read them",
        arguments: [
            ("GET", "/nowhere", nil, 404, "notFound"), ("GET", "/page/nothing.js", nil, 404, "notFound"),
            ("GET", "/v1/nowhere", nil, 404, "notFound"), ("POST", "/healthz", "{}", 405, "methodNotAllowed"),
            ("GET", "/v1/sessions/a/plain", nil, 405, "methodNotAllowed"),
            ("PATCH", "/v1/sessions", "{}", 405, "methodNotAllowed"),
            ("POST", "/v1/sessions/a/plain", "", 400, "invalidJSON"),
            ("POST", "/v1/sessions/a/plain", "{", 400, "invalidJSON"),
            ("POST", "/v1/sessions/a/plain", "[]", 400, "invalidJSON"),
            ("POST", "/v1/sessions/a/plain", "\u{0}", 400, "invalidJSON"),
            ("POST", "/v1/sessions//plain", "{}", 400, "invalidSessionName"),
            ("POST", "/v1/sessions/%00/plain", "{}", 400, "invalidSessionName"),
            ("POST", "/v1/sessions/%ff/plain", "{}", 400, "invalidSessionName"),
            ("POST", "/v1/sessions/" + String(repeating: "x", count: 151) + "/plain", "{}", 400, "invalidSessionName"),
            ("GET", "/v1/sessions/%0a/streams", nil, 400, "invalidSessionName"),
            ("GET", "/v1/sessions/none/streams", nil, 404, "unknownSession"),
            ("DELETE", "/v1/sessions/none/plain/17", nil, 404, "unknownSession"),
            ("PUT", "/v1/sessions/none/streams/s/mute", #"{"kind":"audio","muted":true}"#, 404, "unknownSession"),
            ("PUT", "/v1/sessions/none/streams/%0a/mute", #"{"kind":"audio","muted":true}"#, 400, "invalidStreamName"),
        ])
    func problems(method: String, path: String, body: String?, status: Int, code: String) async throws {
        try await withRelay { _, http in
            let answer = try await http.request(method, path, body: body)
            #expect(answer.status == status)
            #expect(answer.problemCode == code)
            #expect(try answer.json["status"] as? Int == status)
            #expect(try (answer.json["title"] as? String)?.isEmpty == false)
            #expect(answer.fields["access-control-allow-origin"] == "*")
            #expect(answer.fields["access-control-expose-headers"]?.contains("Location") == true)
            if status == 405 { #expect(answer.fields["allow"]?.contains("OPTIONS") == true) }
        }
    }

    @Test(
        "the error of an invalid field names it",
        arguments: [
            (#"{}"#, "direction"), (#"{"direction":1}"#, "direction"), (#"{"direction":null}"#, "direction"),
            (#"{"direction":"sideways"}"#, "direction"), (#"{"direction":"publish","stream":7}"#, "stream"),
            (#"{"direction":"publish","stream":""}"#, "stream"), (#"{"direction":"publish","suite":"ROT13"}"#, "suite"),
            (#"{"direction":"publish","rtcpMux":"yes"}"#, "rtcpMux"), (#"{"direction":"publish","audio":[]}"#, "audio"),
            (#"{"direction":"publish","audio":{"ssrc":-1}}"#, "audio.ssrc"),
            (#"{"direction":"publish","audio":{"ssrc":0}}"#, "audio.ssrc"),
            (#"{"direction":"publish","audio":{"ssrc":4294967296}}"#, "audio.ssrc"),
            (#"{"direction":"publish","video":{"payloadType":200}}"#, "video.payloadType"),
            (#"{"direction":"publish","video":{"payloadType":72}}"#, "video.payloadType"),
            (#"{"direction":"publish","audio":{"payloadType":96},"video":{"payloadType":96}}"#, "video.payloadType"),
            (#"{"direction":"publish","audio":{"ssrc":5},"video":{"ssrc":5}}"#, "video.ssrc"),
            (#"{"direction":"subscribe"}"#, "audio"), (#"{"direction":"subscribe","video":{}}"#, "video.port"),
            (#"{"direction":"subscribe","video":{"port":0}}"#, "video.port"),
            (#"{"direction":"subscribe","video":{"port":70000}}"#, "video.port"),
            (#"{"direction":"subscribe","video":{"port":1.5}}"#, "video.port"),
            (#"{"direction":"subscribe","audio":{"port":5004},"video":{"port":5005}}"#, "video.port"),
            (#"{"direction":"subscribe","address":"example.org","video":{"port":5004}}"#, "address"),
        ])
    func fields(body: String, field: String) async throws {
        try await withRelay { _, http in
            let answer = try await http.request("POST", "/v1/sessions/a/plain", body: body)
            #expect(answer.status == 422)
            #expect(answer.problemCode == "invalidField")
            #expect(try answer.json["field"] as? String == field)
        }
    }

    @Test func otherMediaTypesAreRefused() async throws {
        try await withRelay { _, http in
            for type in ["text/plain", "application/x-www-form-urlencoded", ";", "application/jsonp"] {
                let answer = try await http.request(
                    "POST", "/v1/sessions/a/plain", body: "{}", fields: ["Content-Type": type])
                #expect(answer.problemCode == "unsupportedMediaType")
            }
        }
    }

    @Test func preflightSaysWhatIsAllowed() async throws {
        try await withRelay { _, http in
            let answer = try await http.request(
                "OPTIONS", "/v1/sessions/a/plain",
                fields: ["Origin": "https://example.org", "Access-Control-Request-Method": "POST"])
            #expect(answer.status == 204)
            #expect(answer.fields["access-control-allow-origin"] == "*")
            #expect(answer.fields["access-control-allow-methods"] == "POST, OPTIONS")
            #expect(answer.fields["access-control-allow-headers"]?.contains("Authorization") == true)
        }
        try await withRelay({ $0.httpCORSOrigin = "https://example.org" }) { _, http in
            let answer = try await http.request("GET", "/v1/nowhere")
            #expect(answer.fields["access-control-allow-origin"] == "https://example.org")
            #expect(answer.fields["vary"] == "Origin")
        }
        try await withRelay({ $0.httpCORSOrigin = "" }) { _, http in
            let answer = try await http.request("GET", "/healthz")
            #expect(answer.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func bodiesHaveALimit() async throws {
        try await withRelay({ $0.httpBodyBytes = 2_048 }) { _, http in
            let padding = String(repeating: " ", count: 3_000)
            let declared = try await http.request("POST", "/v1/sessions/a/plain", body: "{\(padding)}")
            #expect(declared.status == 413 && declared.problemCode == "bodyTooLarge")
            #expect(try declared.json["limit"] as? String == "http.bodyBytes")

            let chunk = "{" + padding + "}"
            let chunked = try await http.exchange(
                "POST /v1/sessions/a/plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(String(chunk.utf8.count, radix: 16))\r\n\(chunk)\r\n0\r\n\r\n"
            )
            #expect(chunked.status == 413 && chunked.problemCode == "bodyTooLarge")

            let fits = try await http.request("POST", "/v1/sessions/a/plain", body: "{" + padding.prefix(1_000) + "}")
            #expect(fits.status == 422)
        }
    }

    @Test func headsHaveALimit() async throws {
        try await withRelay { _, http in
            let long = try await http.request(
                "GET", "/healthz", fields: ["X-Long": String(repeating: "x", count: 20 << 10)])
            #expect(long.status == 431 && long.problemCode == "headerTooLarge")
            #expect(long.fields["access-control-allow-origin"] == "*")
            #expect(long.fields["connection"] == "close")
            let many = try await http.request(
                "GET", "/healthz",
                fields: Dictionary(
                    uniqueKeysWithValues: (0..<200).map { ("X-\($0)", String(repeating: "x", count: 100)) }))
            #expect(many.status == 431 && many.problemCode == "headerTooLarge")
            let path = try await http.request("GET", "/" + String(repeating: "x", count: 20 << 10))
            #expect(path.status == 431)
            let fits = try await http.request(
                "GET", "/healthz", fields: ["X-Long": String(repeating: "x", count: 10 << 10)])
            #expect(fits.status == 200)
        }
    }

    @Test(arguments: [
        "\r\n\r\nhello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
        "GET / HTTP/1.1\r\nbad header\r\n\r\n",
    ])
    func whatIsNotHTTPIsSaidSo(text: String) async throws {
        try await withRelay { _, http in
            let answer = try await http.exchange(text)
            #expect(answer.status == 400)
            #expect(answer.problemCode == "malformedRequest")
        }
    }

    @Test(
        "a request that arrives too slowly is ended",
        arguments: [
            "GET /hea", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ",
            "POST /v1/sessions/a/plain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"dir",
        ])
    func slowRequests(text: String) async throws {
        try await withRelay({ $0.httpSendSeconds = 1 }) { _, http in
            let start = ContinuousClock.now
            let answer = try await http.exchange(text)
            #expect(answer.status == 408)
            #expect(answer.problemCode == "requestTimeout")
            #expect(answer.fields["access-control-allow-origin"] == "*")
            #expect(start.duration(to: .now) > .milliseconds(900))
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        try await withRelay({ $0.httpIdleSeconds = 1 }) { _, http in
            await #expect(throws: RawHTTPResponse.Malformed.self) { try await http.exchange("") }
            let kept = try await http.exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(kept.status == 200)
        }
    }

    @Test func expectContinueIsAnswered() async throws {
        try await withRelay({ $0.httpBodyBytes = 1_024 }) { _, http in
            let head =
                "POST /v1/sessions/a/plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
            let answer = try await http.exchange(head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")
            #expect(answer.status == 422)
            let large = try await http.exchange(
                head + "Expect: 100-continue\r\nContent-Length: 5000\r\n\r\n" + String(repeating: " ", count: 5_000))
            #expect(large.status == 413)
        }
    }

    @Test func theAdminTokenGuardsEveryV1Route() async throws {
        try await withRelay({
            $0.adminToken = "correct-horse-battery"
            $0.httpAddress = "127.0.0.1"
        }) { _, http in
            let paths = [
                ("GET", "/v1/sessions"), ("GET", "//v1//sessions"), ("POST", "/v1/sessions/a/plain"),
                ("DELETE", "/v1/sessions/a/plain/1"), ("GET", "/v1/sessions/a/streams"),
                ("PUT", "/v1/sessions/a/streams/s/mute"), ("PATCH", "/v1/sessions"),
            ]
            for (method, path) in paths {
                let bare = try await http.request(method, path)
                #expect(bare.status == 401 && bare.problemCode == "unauthorized", "\(method) \(path)")
                #expect(bare.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
                #expect(bare.fields["access-control-allow-origin"] == "*")
            }
            for header in [
                "correct-horse-battery", "Basic correct-horse-battery", "Bearer correct-horse-batter",
                "Bearer correct-horse-batterycorrect-horse-battery",
                "Bearer ",
            ] {
                #expect(try await http.request("GET", "/v1/sessions", fields: ["Authorization": header]).status == 401)
            }
            for header in ["Bearer correct-horse-battery", "bearer correct-horse-battery"] {
                #expect(try await http.request("GET", "/v1/sessions", fields: ["Authorization": header]).status == 200)
            }
            #expect(try await http.request("OPTIONS", "/v1/sessions").status == 204)
            #expect(try await http.request("GET", "/healthz").status == 200)
            #expect(try await http.request("GET", "/metrics").status == 200)
        }
    }
}
