import Foundation
import Testing

@testable import RelayServer

@Suite("Endpoints that HTTP exposes to other hosts")
struct ExposureTests {
    private static let admin = "an-admin-token-of-enough-characters"
    private static let apps = "shop:0123456789012345678901234567890123456789"

    private static func configuration(_ settings: [String]) -> RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.httpAddress = "0.0.0.0"
        for setting in settings {
            switch setting {
            case "loopback": configuration.httpAddress = "127.0.0.2"
            case "admin": configuration.adminToken = admin
            case "whip": configuration.whipToken = "whip-token"
            case "whep": configuration.whepToken = "whep-token"
            case "apps": configuration.apps = apps
            case "insecure": configuration.insecureHTTP = true
            case "tls":
                configuration.httpTLSCertificate = "/cert.pem"
                configuration.httpTLSKey = "/key.pem"
            default: configuration.development = true
            }
        }
        return configuration
    }

    @Test(
        "On addresses other than loopback HTTP needs TLS or an explicit flag, and a token for every endpoint",
        arguments: [
            (["loopback"], []), (["loopback", "dev"], []), (["loopback", "admin"], []),
            ([], ["http.tlsCertificate", "admin.token", "whip.token", "whep.token"]),
            (["admin"], ["http.tlsCertificate", "whip.token", "whep.token"]),
            (["admin", "insecure"], ["whip.token", "whep.token"]), (["admin", "tls", "whip"], ["whep.token"]),
            (["admin", "whip", "whep"], ["http.tlsCertificate"]), (["tls", "apps"], ["admin.token"]),
            (["admin", "tls", "apps"], []), (["admin", "insecure", "apps"], []),
            (["admin", "tls", "whip", "whep"], []), (["admin", "insecure", "whip", "whep"], []),
            (["dev"], ["insecure.http"]), (["dev", "tls", "admin"], ["insecure.http"]), (["dev", "insecure"], []),
        ] as [([String], [String])])
    func table(_ settings: [String], _ missing: [String]) throws {
        let configuration = Self.configuration(settings)
        let found = configuration.missingForExposure
        #expect(found.count == missing.count)
        for (line, key) in zip(found, missing) { #expect(line.hasPrefix(key), "\(line)") }
        if missing.isEmpty {
            try configuration.validate()
            return
        }
        let error = #expect(throws: ConfigurationError.self) { try configuration.validate() }
        for key in missing { #expect(error?.description.contains(key) == true) }
    }

    @Test("An admin token does not change the address")
    func tokenAndAddress() async throws {
        var configuration = RelayConfiguration()
        configuration.adminToken = Self.admin
        #expect(configuration.httpAddress == "127.0.0.1" && configuration.isHTTPOnLoopback)
        for token in ["fifteen-letters", String(repeating: "x", count: 513)] {
            await #expect(throws: ConfigurationError.self) {
                try await ConfigurationLoader(flags: ["admin.token": token]).load()
            }
        }
        _ = try await ConfigurationLoader(flags: ["admin.token": "sixteen-letters!"]).load()
    }

    @Test("Metrics need the admin token if other hosts can reach them; health does not")
    func metrics() async throws {
        try await withRelay {
            $0.httpAddress = "0.0.0.0"
            $0.insecureHTTP = true
            $0.adminToken = Self.admin
            $0.apps = Self.apps
        } _: { _, http in
            for (path, status) in [("/metrics", 401), ("/healthz", 200), ("/readyz", 200), ("/v1/sessions", 401)] {
                #expect(try await http.request("GET", path).status == status, "\(path)")
            }
            let offer = try RawHTTPClient.offer("chromium-publish")
            for path in ["/whip/demo", "/whep/demo"] {
                let answer = try await http.request("POST", path, body: offer, fields: RawHTTPClient.sdp)
                #expect(answer.status == 401, "\(path)")
            }
            let bearer = ["Authorization": "Bearer \(Self.admin)"]
            #expect(try await http.request("GET", "/metrics", fields: bearer).status == 200)
        }
        try await withRelay({ $0.adminToken = Self.admin }) { _, http in
            #expect(try await http.request("GET", "/metrics").status == 200)
            let rebound = try await http.exchange(
                "GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            #expect(rebound.status == 403)
        }
    }

    @Test("A development relay on an address other than loopback generates an admin token")
    func development() async throws {
        try await withRelay {
            $0.httpAddress = "0.0.0.0"
            $0.insecureHTTP = true
            $0.development = true
        } _: { relay, http in
            let token = relay.configuration.adminToken
            #expect(token.utf8.count == 64)
            #expect(await relay.developmentHints().contains("MILLRACE_ADMIN_TOKEN=\(token)"))
            let refused = try await http.request("GET", "/v1/admin/relay")
            #expect(refused.status == 401)
            let bearer = ["Authorization": "Bearer \(token)"]
            #expect(try await http.request("GET", "/v1/admin/relay", fields: bearer).status == 200)
            #expect(try await http.request("GET", "/v1/dev/token?session=demo").status == 200)
        }
    }

    @Test(
        "The command refuses to expose HTTP with exit code 2 and names what is missing, before it binds anything",
        .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"),
        arguments: [
            (["--http-address", "0.0.0.0"], ["--insecure-http", "admin.token", "whip.token", "whep.token"]),
            (["--http-address", "::", "--admin-token", admin], ["http.tlsCertificate", "whip.token"]),
            (["--http-address", "0.0.0.0", "--dev"], ["--insecure-http"]),
        ])
    func command(_ arguments: [String], _ wanted: [String]) async throws {
        // The HTTP port is in use: a relay that tried to bind it would end with exit code 1.
        try await withRelay { relay, _ in
            let result = try await MillraceProcess.run(
                ["serve", "--http-port", "\(relay.httpPort)", "--media-port", "0", "--webrtc-port", "0"] + arguments)
            #expect(result.status == 2)
            for text in wanted { #expect(result.errors.contains(text), "\(result.errors)") }
            #expect(!result.errors.contains(Self.admin))
        }
    }
}
