import Conference
import HTTPTypes
import Hummingbird
import Signaling

/// Allows a request to WHIP or WHEP that carries the endpoint's own static token, or a session token that permits the direction. A request
/// with neither is allowed if the endpoint has no token of its own and the relay has no apps; foreign pages are then refused. The session
/// is in the token's app, or else in the default app.
struct SessionTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    /// Static token of the endpoint; nil if it has none.
    let token: StaticToken
    let guesses: TokenGuard
    let liveSessions: LiveSessions
    let apps: AppDirectory
    /// Guard of requests that need no secret.
    let pages: PageGuard
    let isPublisher: Bool
    /// Whether a request without `Authorization` may have its token in the URL (RFC 6750 section 2.3).
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

    /// Returns nil if the path names no valid session, which the handler reports.
    private func grant(_ request: Request, _ context: Context) async throws -> SessionGrant? {
        let token = token.current
        var field = request.headers[.authorization]
        var shown: String?
        if takesTokensInURLs, field == nil, let text = request.uri.queryParameters[Substring(Self.parameter)] {
            shown = String(text)
            field = "Bearer \(text)"
        }
        let objection = token.flatMap { staticObjection(field, $0, context) }
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
        // A valid session token is accepted even if other clients behind the same address have guessed too often.
        if let text = field.flatMap(ConnectHandshake.bearer),
            let verified = try await verify(text, session, hasToken: token != nil)
        {
            if apps.isPublic(verified.app), let problem = pages.objection(to: request) { throw problem }
            let key = try session.key(app: verified.app)
            return SessionGrant(
                key: key, engineName: liveSessions.engineName(of: key), token: verified, urlToken: shown)
        }
        if let objection { throw objection }
        if apps.hasTenants {
            throw Problem(.tokenMissing, "entering a session of this relay needs a session token")
        }
        if let problem = pages.objection(to: request) { throw problem }
        return grant
    }

    /// Returns the reason for which the static token is missing or wrong; nil if it is right.
    private func staticObjection(_ field: String?, _ token: BearerToken, _ context: Context) -> Problem? {
        let text = field.flatMap(ConnectHandshake.bearer)
        let isSessionToken = text.map { (try? TokenText($0)) != nil } ?? false
        let address = context.addressGroup
        switch guesses.judge(field, by: token, from: address, isGuess: !isSessionToken) {
        case .right: return nil
        case .wrong(let problem), .refused(let problem): return problem
        }
    }

    /// Returns nil if the text is not a session token, and may be intended as the static token.
    private func verify(
        _ text: String, _ session: SessionName, hasToken: Bool
    ) async throws -> VerifiedToken? {
        switch await liveSessions.verifier.verify(text, session: session.rawValue, now: ControlClock.wall) {
        case .success(let verified):
            guard isPublisher ? verified.capabilities.canPublish : verified.capabilities.canSubscribe else {
                throw Problem(.notPermitted, "the token does not allow it")
            }
            return verified
        case .failure(let error) where error.code == .tokenMalformed:
            // If only session tokens are accepted, the reason helps the client.
            if !hasToken, apps.hasTenants { throw Problem(error) }
            return nil
        case .failure(let error): throw Problem(error)
        }
    }
}
