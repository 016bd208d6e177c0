import Signaling
import Testing

@Suite("Clients that exceed rate and connection limits")
struct AbuseTests {
    @Test("SES-4 concurrent password guesses are counted individually")
    func parallelGuesses() async throws {
        try await withConnect { relay in
            _ = try await relay.join("Ada", password: "secret")
            let token = TestToken()
            var clients: [SocketClient] = []
            for _ in 0..<40 { clients.append(try await relay.connect()) }
            let codes = try await withThrowingTaskGroup(of: ErrorCode?.self) { group in
                for client in clients {
                    group.addTask { try await client.refusal(token: token, password: "guess")?.code }
                }
                return try await group.reduce(into: [ErrorCode?: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(codes[.passwordWrong] == 5)
            // On a slow machine more joins are in progress at once than one token may have.
            #expect(codes[.rateLimited, default: 0] + codes[.limitReached, default: 0] == 35)
        }
    }

    @Test("ISS-1 reports of a client are limited by a rate")
    func reports() async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada")
            _ = try await ada.request(ReportIssueRequest(note: "no sound")).get()
            let error = try await ada.request(ReportIssueRequest(note: "again")).failure
            #expect(error?.code == .rateLimited && error?.limit == "limit.issueSeconds")
            #expect((1...10).contains(error?.retryAfter ?? 0))
            // A new join with the same token counts as the same client.
            let token = TestToken()
            let (eve, _) = try await relay.join("Eve", token: token)
            _ = try await eve.request(ReportIssueRequest()).get()
            await eve.cut()
            let (again, _) = try await relay.join("Eve", token: token)
            let refused = try await again.request(ReportIssueRequest()).failure
            #expect(refused?.code == .rateLimited)
            // Other clients can report.
            let (ben, _) = try await relay.join("Ben")
            _ = try await ben.request(ReportIssueRequest()).get()
            #expect(await relay.issues.statistics().kept == 3)
        }
    }

    @Test("WebSockets that have not joined are limited per address, and stop counting when they join")
    func unjoined() async throws {
        try await withConnect({ $0.connect.unjoinedPerAddress = 8 }) { relay in
            var idle: [SocketClient] = []
            for _ in 0..<8 { idle.append(try await relay.connect()) }
            await #expect(throws: (any Error).self) { _ = try await relay.connect() }
            let handshake = """
                GET /v1/connect HTTP/1.1\r
                Host: localhost\r
                Connection: Upgrade\r
                Upgrade: websocket\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r

                """
            let refused = try await relay.http.exchange(handshake)
            #expect(refused.status == 503 && refused.problemCode == "limitReached", "\(refused.text)")
            #expect(try refused.json["limit"] as? String == "limit.unjoinedPerAddress")
            #expect(refused.fields["retry-after"] != nil)
            _ = try await idle[0].join("Ada")
            let next = try await relay.connect()
            _ = try await next.join("Ben")
            idle[1].channel.channel.close(promise: nil)
            try await eventually("a connection is free") { (try? await relay.connect()) != nil }
        }
    }

    @Test("DNS names that resolve to this host are refused if there is no admin token (DNS rebinding)")
    func hosts() async throws {
        try await withRelay { relay, http in
            func status(_ host: String, _ path: String, _ more: String = "") async throws -> Int {
                try await http.exchange(
                    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(more)Connection: close\r\n\r\n"
                ).status
            }
            let port = relay.httpPort
            let strange = ["evil.example", "evil.example:\(port)", "localhost.evil.example", "127.0.0.1.evil.example"]
            let own = [
                "localhost", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "192.0.2.7", "a.localhost",
            ]
            for path in ["/v1/sessions", "/v1/admin/sessions", "/v1/admin/relay"] {
                for (hosts, expected) in [(strange, 403), (own, 200)] {
                    for host in hosts {
                        let bare = try await status(host, path)
                        let fromPage = try await status(host, path, "Origin: http://\(host)\r\n")
                        #expect(bare == expected && fromPage == expected, "\(host) \(path)")
                    }
                }
            }
            let health = try await status("evil.example", "/healthz")
            #expect(health == 200)
        }
        try await withRelay {
            $0.adminToken = "admin-token-of-16"
            $0.httpAddress = "127.0.0.1"
        } _: { _, http in
            let answer = try await http.exchange(
                "GET /v1/sessions HTTP/1.1\r\nHost: relay.example\r\nAuthorization: Bearer admin-token-of-16\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.status == 200)
        }
    }
}
