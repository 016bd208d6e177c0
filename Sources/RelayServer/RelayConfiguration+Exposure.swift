import MediaBase

/// Exposure of HTTP: whether other hosts reach it, and the settings that this needs.
extension RelayConfiguration {
    /// HTTP is bound to an address that only this host reaches.
    public var isHTTPOnLoopback: Bool { SocketAddress(httpAddress, port: 0)?.isLoopback ?? false }

    var isHTTPEncrypted: Bool { !httpTLSCertificate.isEmpty }

    /// Whether WHIP and WHEP always ask for a token.
    var areTokensNeededForMedia: (publishing: Bool, viewing: Bool) {
        let hasApps = appDirectory.hasTenants
        return (hasApps || !whipToken.isEmpty, hasApps || !whepToken.isEmpty)
    }

    /// Settings without which HTTP may not be bound to `httpAddress`, one line each; empty if nothing is missing.
    ///
    /// Beyond loopback HTTP needs TLS or `insecureHTTP`, and a token for everything that carries media or control: `/v1` and `/metrics` the
    /// admin token, WHIP and WHEP a static token or apps. The control protocol always asks for a session token. With `development` session
    /// tokens are given away, so WHIP and WHEP need none either; `insecureHTTP` then says that this is meant, and `Relay` makes an admin
    /// token if there is none.
    var missingForExposure: [String] {
        guard !isHTTPOnLoopback else { return [] }
        if development {
            guard !insecureHTTP else { return [] }
            return [
                "insecure.http (--insecure-http): with dev every host that reaches this address gets tokens of the app \"dev\""
            ]
        }
        var missing: [String] = []
        if !isHTTPEncrypted, !insecureHTTP {
            missing.append(
                "http.tlsCertificate and http.tlsKey; or insecure.http (--insecure-http), for HTTP in plain text on a network that you trust"
            )
        }
        if adminToken.isEmpty { missing.append("admin.token, for /v1 and /metrics") }
        let needs = areTokensNeededForMedia
        if !needs.publishing { missing.append("whip.token or apps, for publishing by WHIP") }
        if !needs.viewing { missing.append("whep.token or apps, for viewing by WHEP") }
        return missing
    }
}
