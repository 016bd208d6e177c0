import Foundation
import HTTPTypes

/// Refuses requests of foreign web pages on routes that need no secret token. A browser that can reach the relay would otherwise let any
/// page control it: by a cross-origin request, or by a DNS name that resolves to the relay's address (DNS rebinding), which gives the page
/// the relay's origin.
struct PageGuard: Sendable {
    let origins: AllowedOrigins
    let hosts: HostRule

    /// - Parameters:
    ///   - origins: origins that the operator named; `*` names none.
    ///   - hosts: names other than `localhost` and numeric addresses that `Host` may contain.
    init(origins: AllowedOrigins, hosts: [String]) {
        self.origins = origins
        self.hosts = HostRule(names: hosts + origins.hosts)
    }

    /// Returns the reason for which the request is refused; nil if it is allowed.
    ///
    /// - Parameters:
    ///   - authority: `Host` of the request.
    ///   - origin: `Origin` of the request; nil if it has none, as is usual for programs that are not browsers.
    func objection(authority: String?, origin: String?) -> Problem? {
        guard hosts.allows(authority) else {
            return Problem(.notPermitted, "the name \"\(authority ?? "")\" in Host is not in http.hosts")
        }
        guard let origin, !origins.names(origin), !Self.isSame(origin, as: authority) else { return nil }
        return Problem(.notPermitted, "pages of \(origin) may not do this: their origin is not in http.corsOrigin")
    }

    /// Returns whether a page of `origin` was loaded from `authority`.
    private static func isSame(_ origin: String, as authority: String?) -> Bool {
        guard let url = URL(string: origin), let host = url.host() else { return false }
        let name = host.contains(":") ? "[\(host)]" : host
        return authority == url.port.map { "\(name):\($0)" } ?? name
    }
}
