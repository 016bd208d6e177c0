import Foundation
import HTTPTypes

/// Keeps foreign web pages away from requests that succeed without a secret token. A browser on a host that reaches the relay would
/// otherwise let any page command it: by a request of another origin, or by a name that resolves to the relay's address (DNS rebinding),
/// which makes the page's origin and the relay's the same.
struct PageGuard: Sendable {
    let origins: AllowedOrigins
    let hosts: HostRule

    /// - Parameters:
    ///   - origins: origins that the operator named; `*` names none.
    ///   - hosts: names, apart from `localhost` and numeric addresses, by which the relay may be called.
    init(origins: AllowedOrigins, hosts: [String]) {
        self.origins = origins
        self.hosts = HostRule(names: hosts + origins.hosts)
    }

    /// Why the request is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - authority: `Host` of the request.
    ///   - origin: `Origin` of the request; nil if it has none, as requests of programs have.
    func objection(authority: String?, origin: String?) -> Problem? {
        guard hosts.allows(authority) else {
            return Problem(.notPermitted, "the name \"\(authority ?? "")\" in Host is not in http.hosts")
        }
        guard let origin, !origins.names(origin), !Self.isSame(origin, as: authority) else { return nil }
        return Problem(.notPermitted, "pages of \(origin) may not do this: their origin is not in http.corsOrigin")
    }

    /// Whether a page of `origin` was loaded from `authority`.
    private static func isSame(_ origin: String, as authority: String?) -> Bool {
        guard let url = URL(string: origin), let host = url.host() else { return false }
        let name = host.contains(":") ? "[\(host)]" : host
        return authority == url.port.map { "\(name):\($0)" } ?? name
    }
}
