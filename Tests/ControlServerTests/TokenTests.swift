import Conference
import ControlServer
import Foundation
import MillraceTokens
import Signaling
import Testing

@Suite("Tokens")
struct TokenTests {
    static let apps = AppDirectory(secrets: ["shop": TokenWorkshop.shop, "bank": TokenWorkshop.bank])

    private func verify(
        _ token: String, session: String = "lobby", now: Int64 = TokenWorkshop.now, leeway: Int = 5
    ) async -> Result<VerifiedToken, SignalingError> {
        await JWTVerifier(apps: Self.apps, leeway: leeway).verify(token, session: session, now: now * 1_000)
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let name: String
        let token: String
        let code: ErrorCode
        var field: String?
        var testDescription: String { name }
    }

    static let broken: [Broken] = {
        let good = TokenWorkshop.token()
        let parts = good.split(separator: ".").map(String.init)
        let now = TokenWorkshop.now
        func claims(_ name: String, _ value: String?, _ code: ErrorCode, _ what: String) -> Broken {
            let field = code == .tokenMalformed ? name : nil
            return Broken(
                name: what, token: TokenWorkshop.token(TokenWorkshop.claims([name: value])), code: code, field: field)
        }
        func header(_ text: String, _ code: ErrorCode) -> Broken {
            Broken(name: "header \(text)", token: TokenWorkshop.token(header: text), code: code)
        }
        let unsigned = TokenWorkshop.base64(Array(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + "."
        var all: [Broken] = [
            Broken(name: "none at all", token: "", code: .tokenMissing),
            Broken(name: "alg none, unsigned", token: unsigned, code: .tokenAlgorithm),
            header(#"{"alg":"none"}"#, .tokenAlgorithm), header(#"{"alg":"None"}"#, .tokenAlgorithm),
            header(#"{"alg":"hs256"}"#, .tokenAlgorithm), header(#"{"alg":"RS256"}"#, .tokenAlgorithm),
            header(#"{"alg":"ES256"}"#, .tokenAlgorithm), header(#"{"alg":"HS512"}"#, .tokenAlgorithm),
            Broken(name: "HS512", token: TokenWorkshop.token512(), code: .tokenAlgorithm),
            header(#"{"alg":1}"#, .tokenMalformed), header("{}", .tokenMalformed), header("[]", .tokenMalformed),
            header("", .tokenMalformed), header("\u{0}", .tokenMalformed),
            header(#"{"alg":"HS256","crit":["exp"]}"#, .tokenMalformed),
            Broken(name: "no dots", token: "abc", code: .tokenMalformed),
            Broken(name: "two parts", token: parts[0] + "." + parts[1], code: .tokenMalformed),
            Broken(name: "four parts", token: good + ".x", code: .tokenMalformed),
            Broken(name: "dots alone", token: "..", code: .tokenMalformed),
            Broken(name: "padding", token: good + "=", code: .tokenMalformed),
            Broken(name: "white space", token: " " + good, code: .tokenMalformed),
            Broken(name: "no base64", token: parts[0] + ".ü." + parts[2], code: .tokenMalformed),
            Broken(
                name: "truncated payload", token: parts[0] + "." + String(parts[1].dropLast(8)) + "." + parts[2],
                code: .tokenMalformed),
            Broken(name: "truncated signature", token: String(good.dropLast(4)), code: .tokenBadSignature),
            Broken(name: "no signature", token: parts[0] + "." + parts[1] + ".", code: .tokenBadSignature),
            Broken(
                name: "another's signature", token: parts[0] + "." + parts[1] + "." + String(parts[2].reversed()),
                code: .tokenBadSignature),
            Broken(
                name: "the other app's secret", token: TokenWorkshop.token(secret: TokenWorkshop.bank),
                code: .tokenBadSignature),
            Broken(
                name: "claims changed",
                token: parts[0] + "."
                    + TokenWorkshop.base64(Array(TokenWorkshop.claims(["role_type": "1"]).utf8)) + "." + parts[2],
                code: .tokenBadSignature),
            Broken(
                name: "kid of nobody, wrong secret",
                token: TokenWorkshop.token(header: #"{"alg":"HS256","kid":"x"}"#, secret: TokenWorkshop.bank),
                code: .tokenBadSignature),
        ]
        all += [
            claims("app_key", #""nobody""#, .tokenBadSignature, "unknown app"),
            claims("app_key", #""Shop""#, .tokenBadSignature, "app in another case"),
            claims("app_key", #""""#, .tokenBadSignature, "empty app"),
            claims("app_key", nil, .tokenMalformed, "no app"), claims("app_key", "7", .tokenMalformed, "app a number"),
            claims("app_key", #"["shop"]"#, .tokenMalformed, "app a list"),
            claims("tpc", #""other""#, .tokenTopicMismatch, "another session"),
            claims("tpc", nil, .tokenMalformed, "no session"), claims("tpc", "null", .tokenMalformed, "session null"),
            claims("tpc", #""""#, .tokenMalformed, "session empty"),
            claims("tpc", "\"" + String(repeating: "x", count: 151) + "\"", .tokenMalformed, "session too long"),
        ]
        all += [
            claims("exp", "\(now - 6)", .tokenExpired, "expired"), claims("exp", "0", .tokenExpired, "expired in 1970"),
            claims("exp", "-1", .tokenExpired, "expired before 1970"),
            claims("exp", nil, .tokenMalformed, "no end"), claims("exp", "\"\(now)\"", .tokenMalformed, "end a text"),
            claims("exp", "true", .tokenMalformed, "end a truth"),
            claims("exp", "1e300", .tokenMalformed, "end no date"),
            claims("nbf", "\(now + 6)", .tokenNotYetValid, "not before"),
            claims("iat", "\(now + 6)", .tokenNotYetValid, "issued in the future"),
            claims("iat", "{}", .tokenMalformed, "issued an object"),
            claims("role_type", "2", .tokenMalformed, "role type 2"),
            claims("role_type", "-1", .tokenMalformed, "role type -1"),
            claims("role_type", "\"1\"", .tokenMalformed, "role type a text"),
            claims("role_type", "true", .tokenMalformed, "role type a truth"),
            claims("role", #""host""#, .tokenMalformed, "unknown role"),
            claims("role", "1", .tokenMalformed, "role a number"),
            claims("version", "2", .tokenMalformed, "version 2"),
            claims("version", "\"1\"", .tokenMalformed, "version a text"),
            claims(
                "user_identity", "\"" + String(repeating: "x", count: 36) + "\"", .tokenMalformed, "identity too long"),
            claims("user_identity", "7", .tokenMalformed, "identity a number"),
            claims("user_identity", "\"a\u{202E}b\"", .tokenMalformed, "identity with a bidirectional override"),
            claims("data", "\"" + String(repeating: "x", count: 1_001) + "\"", .tokenMalformed, "data too long"),
            claims("extra", "\"" + String(repeating: "x", count: 8_192) + "\"", .tokenMalformed, "oversize"),
        ]
        // An oversize token is refused before its claims are parsed.
        all[all.count - 1].field = nil
        return all
    }()

    @Test("TOK-2 every broken token is refused, each kind with its own error code", arguments: broken)
    func refused(_ broken: Broken) async {
        switch await verify(broken.token) {
        case .success(let token): Issue.record("taken: \(token)")
        case .failure(let error):
            #expect(error.code == broken.code, "\(error)")
            if let field = broken.field { #expect(error.field == field) }
            #expect(!error.message.isEmpty && !error.message.contains(TokenWorkshop.shop))
        }
    }

    @Test(
        "TOK-2 clocks may differ within the leeway",
        arguments: [
            ("exp", -5, 5, false), ("exp", -4, 5, true), ("exp", 0, 0, false), ("exp", 1, 0, true),
            ("nbf", 5, 5, true), ("nbf", 6, 5, false), ("iat", 5, 5, true), ("iat", 1, 0, false), ("nbf", 0, 0, true),
        ])
    func leeway(claim: String, offset: Int64, leeway: Int, isTaken: Bool) async {
        let claims = TokenWorkshop.claims([claim: "\(TokenWorkshop.now + offset)"])
        let result = await verify(TokenWorkshop.token(claims), leeway: leeway)
        #expect(((try? result.get()) != nil) == isTaken)
    }

    @Test(
        "TOK-3 capabilities follow from role_type and role",
        arguments: [
            ("0", nil, Capabilities(canPublish: true)),
            (nil, nil, Capabilities(canPublish: true)),
            ("1", nil, Capabilities(canPublish: true, canForceMute: true, canForceDisconnect: true, canHost: true)),
            ("0", "subscriber", Capabilities(canPublish: false)),
            ("0", "publisher", Capabilities(canPublish: true)),
            ("0", "moderator", Capabilities(canPublish: true, canForceMute: true, canForceDisconnect: true)),
            ("1", "publisher", Capabilities(canPublish: true, canHost: true)),
            ("1", "subscriber", Capabilities(canPublish: false, canHost: true)),
        ] as [(String?, String?, Capabilities)])
    func capabilities(type: String?, role: String?, wanted: Capabilities) async throws {
        let claims = TokenWorkshop.claims(["role_type": type, "role": role.map { "\"\($0)\"" }])
        let token = try await verify(TokenWorkshop.token(claims)).get()
        #expect(token.capabilities == wanted)
    }

    @Test("TOK-1 a valid token names its user, session and expiry") func good() async throws {
        let claims = TokenWorkshop.claims([
            "tpc": #""LobbY Ä""#, "data": #""x=1""#, "user_identity": "\"" + String(repeating: "é", count: 35) + "\"",
            "exp": "\(TokenWorkshop.now + 600).5",
        ])
        let token = try await verify(
            TokenWorkshop.token(claims, header: #"{"typ":"JWT","alg":"HS256","kid":"shop"}"#), session: "lobby ä"
        ).get()
        #expect(token.app == "shop" && token.session == "lobby ä" && token.data == "x=1")
        #expect(token.identity == String(repeating: "é", count: 35))
        #expect(token.expiresAt == (TokenWorkshop.now + 600) * 1_000 + 500)
        let anonymous = TokenWorkshop.token(TokenWorkshop.claims(["user_identity": nil, "version": nil, "iat": nil]))
        #expect(try await verify(anonymous).get().identity == nil)
    }

    @Test("USR-6 two spellings of one token have one fingerprint") func fingerprint() async throws {
        // The last base64 character of 32 bytes has two unused bits.
        let token = TokenWorkshop.token()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let character = try #require(token.last)
        let last = try #require(alphabet.firstIndex(of: character))
        let other = String(token.dropLast()) + String(alphabet[last ^ 1])
        let first = try await verify(token).get().fingerprint
        if case .success(let spelled) = await verify(other) { #expect(spelled.fingerprint == first) }
        let different = TokenWorkshop.token(TokenWorkshop.claims(["user_identity": #""ben""#]))
        #expect(try await verify(different).get().fingerprint != first)
    }

    @Test("Tokens of an app with one jti count as one; without a jti the token's text identifies it")
    func tokenID() async throws {
        func holder(_ changes: [String: String?]) async throws -> ResourceHolder {
            try await verify(TokenWorkshop.token(TokenWorkshop.claims(changes))).get().holder(address: "192.0.2.1")
        }
        let first = try await holder(["jti": #""a""#])
        #expect(try await holder(["jti": #""a""#, "data": #""x""#]) == first)
        #expect(try await holder(["jti": #""b""#]) != first)
        #expect(try await holder([:]) != holder(["data": #""x""#]))
        let long = TokenWorkshop.token(TokenWorkshop.claims(["jti": "\"\(String(repeating: "x", count: 201))\""]))
        if case .failure(let error) = await verify(long) {
            #expect(error.field == "jti")
        } else {
            Issue.record("taken")
        }
    }

    @Test("Two tokens that are minted at the same time for the same grant are distinct") func minted() async throws {
        let minter = try TokenMinter(app: "shop", secret: TokenWorkshop.shop)
        let grant = TokenGrant(session: "lobby", lifetime: 60)
        let tokens = [
            try minter.mint(grant, now: TokenWorkshop.now), try minter.mint(grant, now: TokenWorkshop.now),
        ]
        let first = try await verify(tokens[0]).get().holder(address: "")
        #expect(try await verify(tokens[1]).get().holder(address: "") != first)
    }

    @Test("SES-3 a token is valid for its own app only") func apps() async throws {
        let claims = TokenWorkshop.claims(["app_key": #""bank""#])
        #expect(try await verify(TokenWorkshop.token(claims, secret: TokenWorkshop.bank)).get().app == "bank")
        guard case .failure(let error) = await verify(TokenWorkshop.token(claims)) else {
            Issue.record("taken")
            return
        }
        #expect(error.code == .tokenBadSignature)
    }

    @Test("TOK-2 an unknown app gets the same answer as a wrong signature, whatever else is wrong with the token")
    func unknownApps() async {
        for changes in [[:], ["exp": "1"], ["tpc": #""other""#], ["role_type": "7"]] as [[String: String]] {
            var answers: [SignalingError?] = []
            for app in ["nobody", "shop"] {
                let claims = TokenWorkshop.claims(changes.merging(["app_key": "\"\(app)\""]) { $1 })
                let forged = TokenWorkshop.token(claims, secret: "a-secret-that-no-app-has-a-secret-that-no-app-has")
                guard case .failure(let error) = await verify(forged) else { return #expect(Bool(false), "taken") }
                answers.append(error)
            }
            #expect(answers[0] == SignalingError(.tokenBadSignature) && answers[0] == answers[1])
        }
        #expect(!Self.apps.isSecret(Self.apps.decoy, of: "nobody"))
    }

    @Test("refusals are counted by cause") func counts() async {
        let statistics = TokenStatistics()
        let verifier = JWTVerifier(apps: Self.apps, statistics: statistics)
        for token in [TokenWorkshop.token(), "x", "y", TokenWorkshop.token(secret: TokenWorkshop.bank)] {
            _ = await verifier.verify(token, session: "lobby", now: TokenWorkshop.now * 1_000)
        }
        #expect(statistics.values.accepted == 1)
        #expect(statistics.values.refused == [.tokenMalformed: 2, .tokenBadSignature: 1])
    }
}
