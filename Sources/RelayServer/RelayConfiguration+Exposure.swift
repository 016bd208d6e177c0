import MediaBase

/// Exposure of HTTP: whether other hosts can reach it, and the settings that this requires.
extension RelayConfiguration {
    /// Whether HTTP is bound to a loopback address.
    public var isHTTPOnLoopback: Bool { SocketAddress(httpAddress, port: 0)?.isLoopback ?? false }

    var isHTTPEncrypted: Bool { !httpTLSCertificate.isEmpty || tls == .selfSigned }

    /// Whether WHIP and WHEP always require a token.
    var areTokensNeededForMedia: (publishing: Bool, viewing: Bool) {
        let hasApps = appDirectory.hasTenants
        return (hasApps || !whipToken.isEmpty, hasApps || !whepToken.isEmpty)
    }

    /// Settings without which HTTP may not be bound to `httpAddress`, one entry for each; empty if nothing is missing.
    ///
    /// Beyond loopback HTTP needs TLS or `insecureHTTP`, and a token for all endpoints of media and control: the admin
    /// token for `/v1` and `/metrics`, a static token or apps for WHIP and WHEP. The control protocol always requires a
    /// session token. With `development` any client can get a session token, so WHIP and WHEP need none either;
    /// `insecureHTTP` then confirms the exposure, and `Relay` makes an admin token if there is none.
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
                "http.tlsCertificate and http.tlsKey, or tls (--tls self-signed); or insecure.http (--insecure-http), for HTTP in plain text on a network that you trust"
            )
        }
        if adminToken.isEmpty { missing.append("admin.token, for /v1 and /metrics") }
        let needs = areTokensNeededForMedia
        if !needs.publishing { missing.append("whip.token or apps, for publishing with WHIP") }
        if !needs.viewing { missing.append("whep.token or apps, for subscribing with WHEP") }
        return missing
    }
}
