import ControlServer
import Foundation
import HTTPCalls
import MillraceTestKit
import RelayServer
import Testing

@Suite(
    "HTTP over TLS", .serialized, .enabled(if: CertificateMaker.isThere, "openssl is not there"))
struct TLSEndpointTests {
    private func status(_ relay: Relay, trusting file: String) async -> Result<Int, HTTPCallError> {
        do throws(HTTPCallError) {
            guard let target = HTTPTarget(relay.url + "/healthz") else { return .success(0) }
            let call = HTTPCall(method: "GET", target: target)
            return .success(try await HTTPCaller(authorities: file).send(call, within: .seconds(20)).status)
        } catch {
            return .failure(error)
        }
    }

    @Test func answersAreEncryptedAndTheCertificateIsShown() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        try await withRelay {
            $0.httpTLSCertificate = maker.certificate
            $0.httpTLSKey = maker.key
        } _: { relay, http in
            #expect(relay.url.hasPrefix("https://127.0.0.1:"))
            #expect(try await status(relay, trusting: maker.certificate).get() == 200)
            // Another certificate is not trusted, and HTTP without TLS is refused.
            let other = CertificateMaker()
            try other.write(name: "one")
            if case .success(let status) = await status(relay, trusting: other.certificate) {
                Issue.record("trusted, status \(status)")
            }
            let plain = try? await http.request("GET", "/healthz")
            #expect(plain == nil)
        }
    }

    @Test func onlyModernVersionsAreSpoken() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        try await withRelay {
            $0.httpTLSCertificate = maker.certificate
            $0.httpTLSKey = maker.key
        } _: { relay, _ in
            for version in ["1.2", "1.3"] {
                let said = try await maker.handshake(
                    port: relay.httpPort, ["-tls" + version.replacing(".", with: "_"), "-alpn", "http/1.1"])
                #expect(said.contains("TLSv\(version)") && said.contains("Verify return code: 0"), "\(said)")
                #expect(said.contains("ALPN protocol: http/1.1"))
            }
            // The default security level of the client would refuse TLS 1.1 before the relay does.
            let old = try await maker.handshake(port: relay.httpPort, ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
            #expect(!old.contains("Verify return code: 0") || old.contains("Cipher is (NONE)"), "\(old)")
        }
    }

    @Test func newFilesAreReadAndBadOnesAreNot() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        let first = maker.folder.path + "/first.pem"
        try FileManager.default.copyItem(atPath: maker.certificate, toPath: first)
        let store = try CertificateStore(certificate: maker.certificate, key: maker.key)
        guard case .none = store.look() else {
            Issue.record("nothing has changed")
            return
        }
        try Data("no certificate".utf8).write(to: URL(filePath: maker.certificate))
        let old = store.context
        guard case .bad(let error) = store.look() else {
            Issue.record("taken")
            return
        }
        #expect(error.description.contains(maker.certificate) && store.context === old)
        // The error is reported once, not at every check.
        guard case .none = store.look() else {
            Issue.record("said twice")
            return
        }
        // A key that does not match the certificate.
        let other = CertificateMaker()
        try other.write(name: "two")
        try FileManager.default.removeItem(atPath: maker.certificate)
        try FileManager.default.copyItem(atPath: first, toPath: maker.certificate)
        try Data(contentsOf: URL(filePath: other.key)).write(to: URL(filePath: maker.key))
        guard case .bad = store.look() else {
            Issue.record("a strange key was taken")
            return
        }
        try maker.write(name: "three")
        guard case .renewed = store.look() else {
            Issue.record("not taken")
            return
        }
        #expect(store.context !== old)
    }

    @Test func aRunningRelayShowsTheNewCertificate() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        let first = maker.folder.path + "/first.pem"
        try FileManager.default.copyItem(atPath: maker.certificate, toPath: first)
        try await withRelay {
            $0.httpTLSCertificate = maker.certificate
            $0.httpTLSKey = maker.key
        } _: { relay, _ in
            #expect(try await status(relay, trusting: first).get() == 200)
            try maker.write(name: "two")
            let deadline = ContinuousClock.now + .seconds(20)
            var isNew = false
            while !isNew, .now < deadline {
                if case .success(200) = await status(relay, trusting: maker.certificate) { isNew = true }
            }
            #expect(isNew)
            if case .success = await status(relay, trusting: first) { Issue.record("the old one is shown still") }
        }
    }

    @Test func unusableFilesAreATypedError() async throws {
        let maker = CertificateMaker()
        try maker.write(name: "one")
        func error(_ certificate: String, _ key: String) async -> RelayError? {
            var configuration = RelayConfiguration()
            configuration.httpPort = 0
            configuration.mediaPort = 0
            configuration.webRTCPort = 0
            configuration.logLevel = "critical"
            configuration.httpTLSCertificate = certificate
            configuration.httpTLSKey = key
            let relay = Relay(configuration: configuration)
            return await #expect(throws: RelayError.self) { try await relay.start() }
        }
        for (certificate, key) in [("/none.pem", maker.key), (maker.certificate, "/none.pem"), (maker.key, maker.key)] {
            guard case .tls = await error(certificate, key) else {
                Issue.record("another error for \(certificate) and \(key)")
                continue
            }
        }
        guard case .configuration(.badValue(key: "http.tlsKey", _, _, _)) = await error(maker.certificate, "") else {
            Issue.record("a certificate without a key was taken")
            return
        }
    }
}
