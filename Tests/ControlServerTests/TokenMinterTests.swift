import ControlServer
import MillraceTokens
import Signaling
import Testing

@Suite("Minting tokens")
struct TokenMinterTests {
    private let now: Int64 = 1_800_000_000

    @Test("TOK-4 a minted token is accepted", arguments: TokenGrant.roleNames)
    func minted(role: String) async throws {
        var grant = TokenGrant(session: "Lobby 1", identity: "anna", data: "\"quoted\" ü", lifetime: 60)
        try grant.set(role: role)
        let token = try TokenMinter(app: "shop", secret: TokenWorkshop.shop).mint(grant, now: now)
        let verified = try await JWTVerifier(apps: TokenTests.apps)
            .verify(token, session: "lobby 1", now: now * 1_000).get()
        #expect(verified.app == "shop" && verified.identity == "anna" && verified.data == "\"quoted\" ü")
        #expect(verified.expiresAt == (now + 60) * 1_000)
        #expect(verified.capabilities.canHost == (role == "host"))
        #expect(verified.capabilities.canForceMute == ["host", "moderator"].contains(role))
        #expect(verified.capabilities.canPublish == (role != "subscriber"))
        let late = await JWTVerifier(apps: TokenTests.apps).verify(token, session: "lobby 1", now: (now + 65) * 1_000)
        guard case .failure(let error) = late else {
            Issue.record("taken late")
            return
        }
        #expect(error.code == .tokenExpired)
    }

    @Test(
        "an invalid grant is refused with the name of the field",
        arguments: [
            (TokenGrant(session: ""), "session"), (TokenGrant(session: "a\u{7}"), "session"),
            (TokenGrant(session: "a", identity: String(repeating: "x", count: 36)), "user_identity"),
            (TokenGrant(session: "a", data: String(repeating: "x", count: 1_001)), "data"),
            (TokenGrant(session: "a", data: String(repeating: "👨‍👩‍👧‍👦", count: 1_000)), "data"),
            (TokenGrant(session: "a", lifetime: 0), "seconds"), (TokenGrant(session: "a", lifetime: .max), "seconds"),
        ])
    func refused(grant: TokenGrant, field: String) throws {
        let minter = try TokenMinter(app: "shop", secret: TokenWorkshop.shop)
        let error = #expect(throws: SignalingError.self) { try minter.mint(grant, now: now) }
        #expect(error?.field == field)
    }

    @Test func keysAndSecretsAreJudged() {
        #expect(throws: SignalingError.self) { try TokenMinter(app: "a b", secret: TokenWorkshop.shop) }
        #expect(throws: SignalingError.self) { try TokenMinter(app: "a", secret: "short") }
        var grant = TokenGrant(session: "a")
        #expect(throws: Problem.self) { try grant.set(role: "king") }
    }

    @Test(
        "a list of apps has key:secret entries with distinct keys",
        arguments: [
            ("", 0), ("a:\(TokenWorkshop.shop)", 1), (" a:\(TokenWorkshop.shop) , b:\(TokenWorkshop.bank)", 2),
            ("a:x:\(TokenWorkshop.shop)", 1), ("a", nil), ("a:short", nil), (":\(TokenWorkshop.shop)", nil),
            ("a:\(TokenWorkshop.shop),a:\(TokenWorkshop.bank)", nil), ("a b:\(TokenWorkshop.shop)", nil),
            ("a:\(TokenWorkshop.shop) x", nil), ("ä:\(TokenWorkshop.shop)", nil),
        ] as [(String, Int?)])
    func lists(text: String, count: Int?) {
        #expect(AppDirectory.secrets(in: text)?.count == count)
    }

    @Test func theDefaultAppIsTheFirstByName() {
        #expect(AppDirectory().standard == AppDirectory.unnamed)
        #expect(TokenTests.apps.standard == "bank")
        #expect(AppDirectory(secrets: ["a": "x", "b": "y"], standard: "b").standard == "b")
        #expect(TokenTests.apps.isSecret(TokenWorkshop.shop, of: "shop"))
        #expect(!TokenTests.apps.isSecret(TokenWorkshop.bank, of: "shop"))
        #expect(!TokenTests.apps.isSecret("", of: "nobody"))
    }
}
