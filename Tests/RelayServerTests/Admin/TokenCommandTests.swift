import ControlServer
import Foundation
import Testing

@Suite("millrace token", .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
struct TokenCommandTests {
    private let secret = "shop-secret-shop-secret-shop-secret"

    @Test("TOK-4 a token from the command line is accepted at a join") func minted() async throws {
        let arguments = [
            "token", "--app", "shop", "--secret", secret, "--session", "Support 17", "--identity", "anna", "--role",
            "host",
        ]
        let plain = try await MillraceProcess.run(arguments)
        #expect(plain.status == 0 && plain.errors.isEmpty)
        let json = try await MillraceProcess.run(arguments + ["--json", "--seconds", "60"])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let verifier = JWTVerifier(apps: AppDirectory(secrets: ["shop": secret]))
        for token in [plain.output.trimmingCharacters(in: .newlines), try #require(object["token"] as? String)] {
            let verified = try await verifier.verify(token, session: "support 17", now: now).get()
            #expect(verified.identity == "anna" && verified.capabilities.canHost)
        }
        #expect(object["session"] as? String == "support 17")
        #expect(abs((object["expiresAt"] as? Int64 ?? 0) - now - 60_000) < 30_000)
    }

    @Test(
        "wrong usage ends with exit code 2 and the reason",
        arguments: [
            ["token"], ["token", "--app", "a", "--session", "b"],
            ["token", "--app", "a", "--session", "b", "--secret", "short"],
            ["token", "--app", "a b", "--session", "b", "--secret", "shop-secret-shop-secret-shop-secret"],
            ["token", "--app", "a", "--session", "", "--secret", "shop-secret-shop-secret-shop-secret"],
            [
                "token", "--app", "a", "--session", "b", "--secret", "shop-secret-shop-secret-shop-secret", "--role",
                "king",
            ],
            ["session"], ["session", "bogus"], ["session", "list", "--url", "x"], ["session", "mute", "a"],
            ["session", "mute", "a", "--participant", "b", "--off"], ["session", "record", "rewind", "a", "b"],
            ["session", "issue", "../x"],
        ])
    func badUsage(arguments: [String]) async throws {
        let result = try await MillraceProcess.run(arguments)
        // A command group without a subcommand prints its help.
        if arguments == ["session"] {
            #expect(result.output.contains("Examples:"))
        } else {
            #expect(result.status == 2 && !result.errors.isEmpty && result.output.isEmpty, "\(arguments)")
        }
    }

    @Test func theHelpTeaches() async throws {
        for command in [
            ["token"], ["session"], ["session", "list"], ["session", "show"], ["session", "end"], ["session", "mute"],
            ["session", "remove"], ["session", "record"], ["session", "tap"], ["session", "issue"],
            ["session", "drain"],
        ] {
            let help = try await MillraceProcess.run(command + ["--help"])
            #expect(help.status == 0 && help.output.contains("Example"), "\(command)")
        }
    }
}
