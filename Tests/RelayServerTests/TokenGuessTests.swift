import ControlServer
import Foundation
import MillraceTokens
import Testing

@Suite("Guesses at tokens")
struct TokenGuessTests {
    private static let admin = "an-admin-token-of-enough-characters"

    private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    @Test("After ten wrong admin tokens an address is refused even with the right one")
    func admin() async throws {
        try await withRelay({ $0.adminToken = Self.admin }) { _, http in
            // Requests without a token do not count as guesses.
            for _ in 0..<20 { #expect(try await http.request("GET", "/v1/sessions").status == 401) }
            for number in 0..<9 {
                let path = number % 2 == 0 ? "/v1/sessions" : "/v1/admin/relay"
                #expect(try await http.request("GET", path, fields: bearer("guess-\(number)")).status == 401)
            }
            #expect(try await http.request("GET", "/v1/sessions", fields: bearer(Self.admin)).status == 200)
            #expect(try await http.request("GET", "/v1/sessions", fields: bearer("guess")).status == 401)
            for token in ["guess", Self.admin] {
                let answer = try await http.request("GET", "/v1/sessions", fields: bearer(token))
                #expect(answer.status == 429 && answer.problemCode == "rateLimited")
                #expect(try answer.json["limit"] as? String == "limit.wrongTokens")
                let wait = try #require(answer.fields["retry-after"].flatMap { Int($0) })
                #expect((1...60).contains(wait))
            }
            #expect(try await http.request("GET", "/healthz").status == 200)
        }
    }

    @Test("Concurrent guesses are counted individually")
    func parallel() async throws {
        try await withRelay({ $0.adminToken = Self.admin }) { _, http in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 {
                    group.addTask { try await http.request("GET", "/v1/sessions", fields: bearer("guess")).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [401: 10, 429: 20])
        }
    }

    @Test("guesses at the WHIP token are refused; holders of session tokens behind the same address are not")
    func whip() async throws {
        let secret = "shop-secret-shop-secret-shop-secret"
        let now = Int64(Date().timeIntervalSince1970)
        let session = try TokenMinter(app: "shop", secret: secret).mint(TokenGrant(session: "demo"), now: now)
        try await withRelay {
            $0.whipToken = "whip-token-1"
            $0.adminToken = Self.admin
            $0.apps = "shop:\(secret)"
            $0.limitWrongTokens = 3
        } _: { _, http in
            let offer = try RawHTTPClient.offer("chromium-publish")
            func publish(_ token: String) async throws -> RawHTTPResponse {
                try await http.request(
                    "POST", "/whip/demo", body: offer, fields: RawHTTPClient.sdp.merging(bearer(token)) { $1 })
            }
            for _ in 0..<3 { #expect(try await publish("whip-token-2").status == 401) }
            #expect(try await publish("whip-token-1").status == 429)
            #expect(try await publish(session).status == 201)
            #expect(try await http.request("GET", "/v1/sessions", fields: bearer(Self.admin)).status == 200)
        }
    }
}
