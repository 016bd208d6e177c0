import ControlServer
import Foundation
import Testing

@Suite("Tokens by HTTP")
struct TokenEndpointTests {
    private let secret = "shop-secret-shop-secret-shop-secret"

    private func basic(_ text: String) -> [String: String] {
        ["Authorization": "Basic " + Data(text.utf8).base64EncodedString()]
    }

    @Test("TOK-4 a backend with its app's secret gets tokens") func minted() async throws {
        try await withDoubledSessions { _, http, server in
            let answer = try await http.request(
                "POST", "/v1/tokens", body: #"{"session":"Lobby","identity":"anna","role":"moderator","seconds":60}"#,
                fields: basic("shop:\(secret)"))
            #expect(answer.status == 201)
            let json = try answer.json
            let token = try #require(json["token"] as? String)
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let verified = try await server.parts.tokens.verify(token, session: "lobby", now: now).get()
            #expect(verified.identity == "anna" && verified.capabilities.canForceMute)
            #expect(json["expiresAt"] as? Int64 == verified.expiresAt && json["session"] as? String == "lobby")
        }
    }

    @Test("TOK-4 wrong credentials and invalid grants are refused") func refused() async throws {
        try await withDoubledSessions { _, http, _ in
            let body = #"{"session":"lobby"}"#
            for credentials in ["shop:wrong", "shop:", "nobody:\(secret)", ":", "shop", "shop:\(secret)x"] {
                let answer = try await http.request("POST", "/v1/tokens", body: body, fields: basic(credentials))
                #expect(answer.status == 401 && answer.fields["www-authenticate"]?.hasPrefix("Basic") == true)
            }
            for (body, field) in [
                ("{}", "session"), (#"{"session":"a","role":"king"}"#, "role"),
                (#"{"session":"a","seconds":0}"#, "seconds"),
                (#"{"session":"a","identity":"123456789012345678901234567890123456"}"#, "user_identity"),
            ] {
                let answer = try await http.request("POST", "/v1/tokens", body: body, fields: basic("shop:\(secret)"))
                #expect(try answer.status == 422 && answer.json["field"] as? String == field, "\(answer.text)")
            }
        }
    }

    @Test func tokensForTheAskingNeedADevelopmentRelay() async throws {
        try await withRelay { _, http in
            let answer = try await http.request("GET", "/v1/dev/token?session=demo")
            #expect(answer.status == 403 && answer.problemCode == "notPermitted" && answer.text.contains("--dev"))
        }
        try await withRelay({ $0.development = true }) { relay, http in
            let answer = try await http.request("GET", "/v1/dev/token?session=Demo&name=Anna%20B&role=subscriber").json
            let token = try #require(answer["token"] as? String)
            let parts = try #require(relay.server?.parts)
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let verified = try await parts.tokens.verify(token, session: "demo", now: now).get()
            #expect(verified.app == "dev" && verified.identity == "Anna B" && !verified.capabilities.canPublish)
            func identity(_ query: String) async throws -> String? {
                let answer = try await http.request("GET", "/v1/dev/token?session=demo&\(query)").json
                let token = try #require(answer["token"] as? String)
                return try await parts.tokens.verify(token, session: "demo", now: now).get().identity
            }
            #expect(try await identity("name=Anna&identity=anna%40work") == "anna@work")
            #expect(try await identity("name=Anna&identity=") == "Anna")
            let name = String(repeating: "n", count: 40)
            #expect(try await identity("name=\(name)") == String(name.prefix(35)))
            #expect(try await identity("name=") == nil)
            // Encoding of `URLSearchParams`, which the page uses.
            #expect(try await identity("name=Ada+Lovelace") == "Ada Lovelace")
            #expect(try await identity("name=Ada%2BBob") == "Ada+Bob")
            let spaced = try await http.request("GET", "/v1/dev/token?session=Support+17&name=Ada").json
            let spacedToken = try #require(spaced["token"] as? String)
            #expect(try await parts.tokens.verify(spacedToken, session: "support 17", now: now).get().identity == "Ada")
            let long = try await http.request(
                "GET", "/v1/dev/token?session=demo&identity=\(String(repeating: "i", count: 36))")
            #expect(try long.status == 422 && long.json["field"] as? String == "identity")
            #expect(parts.apps.standard == "dev")
            #expect(try await http.request("GET", "/v1/dev/token").status == 422)
            #expect(try await http.request("GET", "/v1/dev/token?session=a&role=king").status == 422)
            #expect(await relay.developmentHints().contains("/v1/connect?token=ey"))
        }
    }
}
