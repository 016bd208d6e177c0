internal import Conference
internal import HTTPTypes
internal import Hummingbird
internal import Signaling

/// Lets a request to WHIP or WHEP pass that shows the door's own token, or a session token that allows what is asked; where the door has no
/// token of its own, also one that shows none. The session is that of the token's app, else of the default app.
struct SessionTokenMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    /// The door's own; nil: none is needed.
    let token: BearerToken?
    let rooms: Rooms
    let isPublisher: Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let field = request.headers[.authorization]
        // A browser's preflight carries no token (Fetch standard).
        if request.method == .options || token?.objection(to: field) == nil && token != nil {
            return try await next(request, context)
        }
        if let grant = try await grant(field, context) {
            var context = context
            context.grant = grant
            return try await next(request, context)
        }
        if let problem = token?.objection(to: field) { throw problem }
        return try await next(request, context)
    }

    /// What a session token gives; nil where the field has none.
    private func grant(_ field: String?, _ context: Context) async throws -> SessionGrant? {
        guard let text = field.flatMap(ConnectHandshake.bearer), let session = try? context.session else { return nil }
        switch await rooms.verifier.verify(text, session: session.rawValue, now: ControlClock.wall) {
        case .success(let verified):
            guard isPublisher ? verified.capabilities.canPublish : verified.capabilities.canSubscribe else {
                throw Problem(.notPermitted, "the token does not allow it")
            }
            let key = try SessionKey(app: rooms.ruleApp(verified.app), name: session.rawValue)
            return SessionGrant(key: key, token: verified)
        // It may be meant for the door itself.
        case .failure(let error) where error.code == .tokenMalformed || error.code == .tokenUnknownApp: return nil
        case .failure(let error): throw Problem(error)
        }
    }
}
