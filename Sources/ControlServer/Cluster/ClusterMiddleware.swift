import Conference
import HTTPTypes
import Hummingbird
import Signaling

/// Sends requests for sessions of other relays to these relays. Requests that another relay sent are answered here, or refused if this
/// relay is not the home relay.
struct ClusterMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let edge: ClusterEdge
    /// App of sessions if the request names none.
    let standard: String
    /// Maximum size of a request body.
    let bodyBytes: Int
    let bodies: OpenBodies
    /// Returns whether a request may begin the session of its path.
    let begins: @Sendable (Request) -> Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method != .options, let key = Self.key(request, context, standard: standard) else {
            return try await next(request, context)
        }
        guard context.proxied == nil else {
            let newID = begins(request) ? SessionID(rawValue: Secret.id()) : nil
            if case .there = await edge.node.resolve(key, newID: newID, isProxied: true) {
                throw Problem(.misdirected, "another relay runs the session", retryAfter: 1)
            }
            return try await next(request, context)
        }
        // The media of a relay that drains would end soon.
        return try await edge.answer(
            request, context, key, begins: begins(request), bodyBytes: bodyBytes, takesMedia: !bodies.isDraining,
            here: next)
    }

    /// Returns the session of the path; nil if the path names none, or no valid one, which the handler reports.
    private static func key(_ request: Request, _ context: Context, standard: String) -> SessionKey? {
        if let grant = context.grant { return grant.key }
        guard context.parameters.get("session") != nil else { return nil }
        return try? request.address(context, standard: standard)
    }
}
