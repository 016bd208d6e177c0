/// HTTP server and access to it.
package enum HTTPKeys: ConfigurationSection {
    package static let title = "HTTP"
    package static let keys: [ConfigurationKey] = [
        .text(
            "http.address", \.httpAddress, .address,
            """
            address of the HTTP port; any but a loopback address needs TLS or `insecure.http`, and tokens \
            ([admin.md](admin.md#exposure))
            """),
        .integer("http.port", \.httpPort, 0...65_535, "TCP port of all HTTP endpoints; 0: any free port"),
        .integer("http.headerBytes", \.httpHeaderBytes, 1_024...(1 << 20), "largest request head, in bytes"),
        .integer("http.bodyBytes", \.httpBodyBytes, 1_024...(16 << 20), "largest request body, in bytes"),
        .integer("http.sendSeconds", \.httpSendSeconds, 1...600, "maximum time in which a client sends one request"),
        .integer(
            "http.firstRequestSeconds", \.httpFirstRequestSeconds, 1...600,
            """
            maximum time until a new connection starts its first request, including the TLS handshake. Never more \
            than `http.idleSeconds`
            """),
        .integer(
            "http.idleSeconds", \.httpIdleSeconds, 1...3_600,
            "time that an idle connection stays open between requests"),
        .integer(
            "http.connections", \.httpConnections, 1...1_000_000,
            """
            maximum number of open HTTP connections and WebSockets; less if the limit of open files requires it \
            ([below](#open-files)). Further connections wait until one closes
            """),
        .integer(
            "http.connectionsPerAddress", \.httpConnectionsPerAddress, 0...1_000_000,
            """
            maximum number of open connections of one IPv4 address or IPv6 /64 network; 0: a quarter of all. Further \
            ones are answered with 503 at once. Behind a proxy all clients have the proxy's address: set the key to \
            `http.connections`, its maximum
            """),
        .text(
            "http.corsOrigin", \.httpCORSOrigin, .origins,
            """
            origins whose pages may call the relay, in addition to its own. `*` opens only endpoints that require a \
            token ([webrtc.md](webrtc.md#pages-of-other-origins))
            """),
        .text(
            "http.hosts", \.httpHosts, .hosts,
            """
            host names accepted in requests that need no token; numeric addresses, `localhost` and names under \
            `.localhost` are always accepted ([admin.md](admin.md#authorization))
            """),
        .text(
            "http.tlsCertificate", \.httpTLSCertificate, .file,
            """
            certificate chain of the HTTP port, leaf certificate first; reloaded when it changes \
            ([admin.md](admin.md#tls))
            """),
        .text("http.tlsKey", \.httpTLSKey, .file, "private key of the HTTP port's certificate; set both or neither"),
        .choice(
            "tls", \.tls,
            """
            certificate of the HTTP port: that of `http.tlsCertificate`, if set, or a self-signed one for the local \
            network, which the relay makes and keeps ([page.md](page.md#camera-and-microphone-in-the-local-network))
            """),
        .flag(
            "http.urlTokens", \.httpURLTokens,
            """
            WHIP and WHEP also take a token as `?access_token=`, for clients that cannot set a header. URLs appear \
            in histories, proxy logs and `Referer` fields: use tokens with a short lifetime \
            ([webrtc.md](webrtc.md#tokens))
            """),
        .flag(
            "insecure.http", \.insecureHTTP,
            "allows HTTP without TLS, or with `dev`, on an address that other hosts reach"),
        .text(
            "admin.token", \.adminToken, .adminToken,
            "bearer token of /v1, and of /metrics if other hosts can reach it"
        ).reloadable,
        .text("whip.token", \.whipToken, .token, "bearer token required by every /whip request (publishing)")
            .reloadable,
        .text("whep.token", \.whepToken, .token, "bearer token required by every /whep request (subscribing)")
            .reloadable,
    ]
}
