import MediaBase
import Testing

@testable import DTLS

@Suite("Self-signed certificates of HTTPS servers")
struct ServerCertificateTests {
    private func made(
        _ names: [String] = ["localhost"], _ addresses: [String] = [], days: Int = 397
    ) throws -> (certificate: ServerCertificate, file: String) {
        try ServerCertificate.make(names: names, addresses: addresses, days: days)
    }

    @Test("a certificate covers its names and addresses, and no others")
    func names() throws {
        let certificate = try made(["localhost", "studio.example"], ["192.0.2.7", "2001:db8::1"]).certificate
        #expect(certificate.covers(names: ["localhost", "studio.example"], addresses: ["192.0.2.7"], until: 0))
        #expect(certificate.covers(names: [], addresses: ["2001:db8::1"], until: 0))
        #expect(!certificate.covers(names: ["other.example"], addresses: [], until: 0))
        #expect(!certificate.covers(names: [], addresses: ["192.0.2.8"], until: 0))
    }

    @Test(
        "text that could add entries to the list of names is left out", arguments: ["a,IP:192.0.2.9", "b:c", "", "ü"])
    func hostileNames(name: String) throws {
        let certificate = try made(["localhost", name], ["192.0.2.7,DNS:evil.example"]).certificate
        #expect(certificate.covers(names: ["localhost"], addresses: [], until: 0))
        #expect(!certificate.covers(names: [], addresses: ["192.0.2.9"], until: 0))
        #expect(!certificate.covers(names: ["evil.example"], addresses: [], until: 0))
    }

    @Test("a certificate does not cover a time after its end")
    func expiry() throws {
        // The start of 2100: later than the end of a certificate of a year, and earlier than that of one of 100 years.
        let time = 4_102_444_800
        #expect(try !made(days: 397).certificate.covers(names: ["localhost"], addresses: [], until: time))
        #expect(try made(days: 36_500).certificate.covers(names: ["localhost"], addresses: [], until: time))
    }

    @Test("the PEM text has certificate and key, and is read back with the same fingerprint")
    func text() throws {
        let (certificate, file) = try made()
        #expect(file.hasPrefix("-----BEGIN CERTIFICATE-----") && file.contains("-----BEGIN PRIVATE KEY-----"))
        #expect(ServerCertificate(pem: file)?.fingerprint == certificate.fingerprint)
        #expect(try made().certificate.fingerprint != certificate.fingerprint)
        #expect(ServerCertificate(pem: "") == nil)
        #expect(ServerCertificate(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") == nil)
    }
}
