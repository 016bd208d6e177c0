internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// For a relay without an admin token, which only its own machine reaches: pages of other origins must not command it through the
/// browser of whoever sits there.
struct SameOriginMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    /// An origin that the operator named for CORS may call; `*` names none.
    let allowed: String?
    let hosts: HostRule

    /// - Parameters:
    ///   - origin: as `http.corsOrigin` has it.
    ///   - hosts: names besides this machine's own that the relay may be called by.
    init(origin: String, hosts: [String]) {
        allowed = origin == "*" ? nil : origin
        self.hosts = HostRule(names: hosts, origin: origin)
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method == .options || hosts.allows(request.head.authority) else {
            throw Problem(
                .notPermitted,
                "the relay is not called \"\(request.head.authority ?? "")\"; set http.hosts or an admin token")
        }
        if request.method != .options, let origin = request.headers[.origin], origin != allowed,
            !isOwn(origin, request: request)
        {
            throw Problem(.notPermitted, "pages of \(origin) may not do this; set an admin token")
        }
        return try await next(request, context)
    }

    private func isOwn(_ origin: String, request: Request) -> Bool {
        guard let url = URL(string: origin), let host = url.host() else { return false }
        let name = host.contains(":") ? "[\(host)]" : host
        return request.head.authority == url.port.map { "\(name):\($0)" } ?? name
    }
}
