import Conference
import HTTPTypes
import Hummingbird
import Signaling

/// Lets a request to WHIP or WHEP pass that shows the endpoint's own static token, or a session token that allows the direction. A request
/// with neither passes if the endpoint has no token of its own and the relay has no apps; foreign pages are then kept away. The session is
/// that of the token's app, else of the default app.
struct SessionTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    /// The endpoint's static token; nil: it has none.
    let token: BearerToken?
    let guesses: TokenGuard
    let liveSessions: LiveSessions
    let apps: AppDirectory
    /// Guard of requests that need no secret.
    let pages: PageGuard
    let isPublisher: Bool
    /// A request without `Authorization` may have its token in the URL (RFC 6750 section 2.3).
    var takesTokensInURLs = false

    /// Query parameter of a token.
    static let parameter = "access_token"

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.grant = try await grant(request, context)
        } catch {
            // A browser's preflight carries no token (Fetch standard).
            guard request.method == .options else { throw error }
        }
        return try await next(request, context)
    }

    /// Nil if the path names no session, which the handler reports.
    private func grant(_ request: Request, _ context: Context) async throws -> SessionGrant? {
        var field = request.headers[.authorization]
        var shown: String?
        if takesTokensInURLs, field == nil, let text = request.uri.queryParameters[Substring(Self.parameter)] {
            shown = String(text)
            field = "Bearer \(text)"
        }
        let objection = staticObjection(field, context)
        guard let session = try? context.session else {
            if let objection { throw objection }
            return nil
        }
        let standard = try liveSessions.standardKey(session)
        var grant = SessionGrant(key: standard, engineName: liveSessions.engineName(of: standard), urlToken: shown)
        if token != nil, objection == nil {
            grant.isTrusted = true
            return grant
        }
        // Its holders are let in whatever others behind their address have guessed.
        if let text = field.flatMap(ConnectHandshake.bearer), let verified = try await verify(text, session) {
            if apps.isPublic(verified.app), let problem = pages.objection(to: request) { throw problem }
            let key = try session.key(app: verified.app)
            return SessionGrant(
                key: key, engineName: liveSessions.engineName(of: key), token: verified, urlToken: shown)
        }
        if let objection { throw objection }
        if apps.hasTenants {
            throw Problem(.tokenMissing, "the sessions of this relay's apps are entered with a session token")
        }
        if let problem = pages.objection(to: request) { throw problem }
        return grant
    }

    /// Why the request does not show the static token; nil if it does, or there is none.
    private func staticObjection(_ field: String?, _ context: Context) -> Problem? {
        guard let token else { return nil }
        let text = field.flatMap(ConnectHandshake.bearer)
        let isSessionToken = text.map { (try? TokenText($0)) != nil } ?? false
        let address = ClientAddress.group(of: context.channel.remoteAddress)
        switch guesses.judge(field, by: token, from: address, isGuess: !isSessionToken) {
        case .right: return nil
        case .wrong(let problem), .refused(let problem): return problem
        }
    }

    /// Nil if the text is no session token, and may be meant as the static token.
    private func verify(_ text: String, _ session: SessionName) async throws -> VerifiedToken? {
        switch await liveSessions.verifier.verify(text, session: session.rawValue, now: ControlClock.wall) {
        case .success(let verified):
            guard isPublisher ? verified.capabilities.canPublish : verified.capabilities.canSubscribe else {
                throw Problem(.notPermitted, "the token does not allow it")
            }
            return verified
        case .failure(let error) where error.code == .tokenMalformed:
            // If only session tokens are taken, the reason helps.
            if token == nil, apps.hasTenants { throw Problem(error) }
            return nil
        case .failure(let error): throw Problem(error)
        }
    }
}
