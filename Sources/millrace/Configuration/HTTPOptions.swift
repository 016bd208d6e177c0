import ArgumentParser

/// HTTP server and access to it.
struct HTTPOptions: ConfigurationOptionGroup {
    @Option(help: .key("http.address")) var httpAddress: String?
    @Option(help: .key("http.port")) var httpPort: String?
    @Option(help: .key("http.headerBytes")) var httpHeaderBytes: String?
    @Option(help: .key("http.bodyBytes")) var httpBodyBytes: String?
    @Option(help: .key("http.sendSeconds")) var httpSendSeconds: String?
    @Option(help: .key("http.firstRequestSeconds")) var httpFirstRequestSeconds: String?
    @Option(help: .key("http.idleSeconds")) var httpIdleSeconds: String?
    @Option(help: .key("http.connections")) var httpConnections: String?
    @Option(help: .key("http.connectionsPerAddress")) var httpConnectionsPerAddress: String?
    @Option(name: .customLong("http-cors-origin"), help: .key("http.corsOrigin")) var httpCORSOrigin: String?
    @Option(help: .key("http.hosts")) var httpHosts: String?
    @Option(name: .customLong("http-tls-certificate"), help: .key("http.tlsCertificate", valueName: "file"))
    var httpTLSCertificate: String?
    @Option(name: .customLong("http-tls-key"), help: .key("http.tlsKey", valueName: "file")) var httpTLSKey: String?
    @Flag(name: .customLong("http-url-tokens"), inversion: .prefixedNo, help: .key("http.urlTokens"))
    var httpURLTokens: Bool?
    @Flag(inversion: .prefixedNo, help: .key("insecure.http")) var insecureHttp: Bool?
    @Option(help: .key("admin.token")) var adminToken: String?
    @Option(help: .key("whip.token")) var whipToken: String?
    @Option(help: .key("whep.token")) var whepToken: String?

    var given: [String: String?] {
        [
            "http.address": httpAddress,
            "http.port": httpPort,
            "http.headerBytes": httpHeaderBytes,
            "http.bodyBytes": httpBodyBytes,
            "http.sendSeconds": httpSendSeconds,
            "http.firstRequestSeconds": httpFirstRequestSeconds,
            "http.idleSeconds": httpIdleSeconds,
            "http.connections": httpConnections,
            "http.connectionsPerAddress": httpConnectionsPerAddress,
            "http.corsOrigin": httpCORSOrigin,
            "http.hosts": httpHosts,
            "http.tlsCertificate": httpTLSCertificate,
            "http.tlsKey": httpTLSKey,
            "http.urlTokens": httpURLTokens.map(String.init),
            "insecure.http": insecureHttp.map(String.init),
            "admin.token": adminToken,
            "whip.token": whipToken,
            "whep.token": whepToken,
        ]
    }
}
