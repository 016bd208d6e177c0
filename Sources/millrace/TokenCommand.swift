import ArgumentParser
import ControlServer
import Foundation
import MillraceTokens
import Signaling

/// `millrace token`: creates a session token (TOK-4).
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes a session token.",
        discussion: """
            A token admits its bearer to one session of one app, until it expires. It is a JWT, signed with the app's secret
            (HS256); the relay knows the same secret from its configuration (apps = key:secret).

            What the bearer may do there:
              host         publish, watch, moderate, and become host of the session
              participant  publish and watch (the default)
              publisher    the same, stated in the token's role claim
              moderator    publish, watch, mute and remove others; never host
              subscriber   watch

            The token is the only line on standard output, so scripts can use it directly. Without --secret the secret is
            taken from MILLRACE_APP_SECRET, which keeps it out of the list of processes.

            Examples:
              millrace token --app shop --secret "$SECRET" --session "support 17" --identity anna --role host
              millrace token --app dev --secret millrace-development-secret-that-everybody-knows --session demo
              MILLRACE_APP_SECRET="$SECRET" millrace token --app shop --session demo --seconds 86400 --json
            """)

    @Option(help: ArgumentHelp("key of the app", valueName: "key")) var app: String
    @Option(help: ArgumentHelp("secret of the app, 32 to 512 bytes; also MILLRACE_APP_SECRET", valueName: "secret"))
    var secret: String?
    @Option(help: ArgumentHelp("name of the session, 1 to 150 characters", valueName: "name")) var session: String
    @Option(help: ArgumentHelp("your own id of the user, at most 35 characters", valueName: "id"))
    var identity: String?
    @Option(help: ArgumentHelp("host, participant, publisher, moderator or subscriber", valueName: "role"))
    var role = "participant"
    @Option(help: ArgumentHelp("connection data that all participants see, at most 1000 characters", valueName: "text"))
    var data: String?
    @Option(help: ArgumentHelp("lifetime", valueName: "seconds")) var seconds = TokenGrant.standardLifetime
    @Flag(help: "print JSON: the token, its app, session and expiry") var json = false

    private struct Answer: Encodable {
        let token: String
        let app: String
        let session: String
        /// Milliseconds since 1970.
        let expiresAt: Int64
    }

    // Checked here, not in `run()`, so that an error shows the usage of this command.
    func validate() throws {
        _ = try signingSecret()
        _ = try grant()
    }

    private func signingSecret() throws -> String {
        guard let secret = secret ?? ProcessInfo.processInfo.environment["MILLRACE_APP_SECRET"] else {
            throw ValidationError("a secret is needed: --secret or MILLRACE_APP_SECRET")
        }
        return secret
    }

    private func grant() throws -> TokenGrant {
        do {
            var grant = TokenGrant(session: session, identity: identity, data: data, lifetime: seconds)
            try grant.set(role: role)
            return grant
        } catch {
            throw ValidationError(error.detail)
        }
    }

    func run() async throws {
        let now = Int64(Date().timeIntervalSince1970)
        let grant = try grant()
        do {
            let token = try TokenMinter(app: app, secret: try signingSecret()).mint(grant, now: now)
            guard json else {
                print(token)
                return
            }
            print(
                try CommandOutput.json(
                    Answer(
                        token: token, app: app, session: session.lowercased(),
                        expiresAt: (now + grant.lifetime) * 1_000)))
        } catch let error as SignalingError {
            throw ValidationError(error.message)
        }
    }
}
