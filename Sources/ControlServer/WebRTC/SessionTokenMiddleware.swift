internal import Conference
internal import HTTPTypes
internal import Hummingbird
internal import Signaling

/// Lets a request to WHIP or WHEP pass that shows the door's own token, or a session token that allows what is asked. One that shows neither
/// passes where the door has no token of its own and the relay has no apps. The session is that of the token's app, else of the default app.
struct SessionTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    /// The door's own; nil: there is none.
    let token: BearerToken?
    let liveSessions: LiveSessions
    /// The relay has apps, whose sessions are not for everybody.
    let hasApps: Bool
    let isPublisher: Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.grant = try await grant(request.headers[.authorization], context)
        } catch {
            // A browser's preflight carries no token (Fetch standard).
            guard request.method == .options else { throw error }
        }
        return try await next(request, context)
    }

    /// Nil where the path names no session, which the handler will say.
    private func grant(_ field: String?, _ context: Context) async throws -> SessionGrant? {
        let objection = token?.objection(to: field)
        guard let session = try? context.session else {
            if let objection { throw objection }
            return nil
        }
        let standard = try liveSessions.standardKey(session)
        var grant = SessionGrant(key: standard, engineName: liveSessions.engineName(of: standard))
        if token != nil, objection == nil {
            grant.isTrusted = true
            return grant
        }
        if let text = field.flatMap(ConnectHandshake.bearer), let verified = try await verify(text, session) {
            let key = try session.key(app: verified.app)
            return SessionGrant(key: key, engineName: liveSessions.engineName(of: key), token: verified)
        }
        if let objection { throw objection }
        if hasApps {
            throw Problem(.tokenMissing, "the sessions of this relay's apps are entered with a session token")
        }
        return grant
    }

    /// Nil where the text is no session token, and may be meant for the door itself.
    private func verify(_ text: String, _ session: SessionName) async throws -> VerifiedToken? {
        switch await liveSessions.verifier.verify(text, session: session.rawValue, now: ControlClock.wall) {
        case .success(let verified):
            guard isPublisher ? verified.capabilities.canPublish : verified.capabilities.canSubscribe else {
                throw Problem(.notPermitted, "the token does not allow it")
            }
            return verified
        case .failure(let error) where error.code == .tokenMalformed || error.code == .tokenUnknownApp:
            // Where nothing but a session token does, what is wrong with it is of interest.
            if token == nil, hasApps { throw Problem(error) }
            return nil
        case .failure(let error): throw Problem(error)
        }
    }
}
