import DTLS
import Foundation
import HTTPCalls
import MediaBase
import MillraceTestKit
import Testing

@testable import RelayServer

@Suite("TLS with a self-signed certificate", .serialized)
struct SelfSignedTests {
    @Test("the certificate is kept in a file that only its owner can read, and stays at the next start")
    func file() throws {
        let folder = TemporaryFolder()
        let file = SelfSignedFile(directory: folder.path + "/data/tls")
        let first = try file.prepare(names: ["localhost"], addresses: ["192.0.2.7"], now: 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let again = try file.prepare(names: ["localhost"], addresses: ["192.0.2.7"], now: 0)
        #expect(again.fingerprint == first.fingerprint)
        // A further address needs a new certificate, and so does the end of its time.
        let second = try file.prepare(names: ["localhost"], addresses: ["192.0.2.8"], now: 0)
        #expect(second.fingerprint != first.fingerprint)
        let year2100 = 4_102_444_800
        let third = try file.prepare(names: ["localhost"], addresses: ["192.0.2.8"], now: year2100)
        #expect(third.fingerprint != second.fingerprint)
        // A damaged file is replaced.
        try Data("no certificate".utf8).write(to: URL(filePath: file.path))
        let fourth = try file.prepare(names: ["localhost"], addresses: ["192.0.2.8"], now: 0)
        #expect(fourth.fingerprint != third.fingerprint)
    }

    @Test("a directory that cannot be made is a typed error")
    func noDirectory() {
        let file = SelfSignedFile(directory: "/dev/null/tls")
        #expect(throws: RelayError.self) { try file.prepare(names: ["localhost"], addresses: [], now: 0) }
    }

    @Test("the directory is in storage.directory, otherwise in the user's data directory")
    func directory() {
        var configuration = RelayConfiguration()
        let home = ["HOME": "/home/ada"]
        #expect(configuration.selfSignedDirectory(environment: home) == "/home/ada/.local/share/millrace/tls")
        let data = ["HOME": "/home/ada", "XDG_DATA_HOME": "/data"]
        #expect(configuration.selfSignedDirectory(environment: data) == "/data/millrace/tls")
        #expect(configuration.selfSignedDirectory(environment: ["XDG_DATA_HOME": "data"]) == nil)
        configuration.storageDirectory = "/var/lib/millrace"
        #expect(configuration.selfSignedDirectory(environment: home) == "/var/lib/millrace/tls")
    }

    @Test("the certificate has the names of the host and the addresses at which browsers reach it")
    func names() {
        var configuration = RelayConfiguration()
        configuration.httpAddress = "0.0.0.0"
        configuration.httpHosts = "studio.example"
        configuration.mediaAdvertised = "203.0.113.7"
        let interfaces = ["127.0.0.1", "192.0.2.7"].compactMap { SocketAddress($0, port: 0) }
            .map { InterfaceAddress(address: $0) }
        #expect(configuration.selfSignedNames(hostName: "relay") == ["localhost", "relay", "studio.example"])
        #expect(
            configuration.selfSignedAddresses(of: interfaces) == ["192.0.2.7", "127.0.0.1", "203.0.113.7", "::1"])
    }

    @Test("self-signed TLS and a configured certificate exclude each other; it counts as TLS beyond loopback")
    func validation() throws {
        var configuration = RelayConfiguration()
        configuration.tls = .selfSigned
        try configuration.validate()
        configuration.httpAddress = "192.0.2.1"
        #expect(!configuration.missingForExposure.contains { $0.contains("http.tlsCertificate") })
        configuration.httpAddress = "127.0.0.1"
        configuration.httpTLSCertificate = "/a.pem"
        configuration.httpTLSKey = "/a.pem"
        #expect(throws: ConfigurationError.self) { try configuration.validate() }
    }

    @Test("clients that trust the file reach the relay, and its fingerprint stays after a restart")
    func relay() async throws {
        let folder = TemporaryFolder()
        var fingerprints: [String?] = []
        for _ in 0..<2 {
            try await withRelay {
                $0.tls = .selfSigned
                $0.storageDirectory = folder.path
            } _: { relay, http in
                #expect(relay.url.hasPrefix("https://127.0.0.1:") && relay.urlForOthers == nil)
                let target = try #require(HTTPTarget(relay.url + "/healthz"))
                let caller = HTTPCaller(authorities: folder.path + "/tls/self-signed.pem")
                let answer = try await caller.send(HTTPCall(method: "GET", target: target), within: .seconds(20))
                #expect(answer.status == 200)
                let plain = try? await http.request("GET", "/healthz")
                #expect(plain == nil)
                fingerprints.append(relay.selfSignedFingerprint)
            }
        }
        #expect(fingerprints[0]?.count == 95 && fingerprints[0] == fingerprints[1])
    }
}
