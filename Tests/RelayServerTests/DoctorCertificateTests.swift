import Foundation
import Testing

@testable import RelayServer

@Suite("The certificate in millrace doctor")
struct DoctorCertificateTests {
    /// Valid from 2026-01-01 00:00:00 to 2026-04-01 12:00:00 UTC (UTCTime, version 1).
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIH+MIGmAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAXIwHhcNMjYwMTAxMDAw
        MDAwWhcNMjYwNDAxMTIwMDAwWjAMMQowCAYDVQQDDAFyMFkwEwYHKoZIzj0CAQYI
        KoZIzj0DAQcDQgAEl3Vn+TumDpCWCljH8gekH3PgqvsP3TFyySUyCwseZXpgQLtM
        1uyz3BFmV8brnvoyGJZE+mrA7g+JI26Yb47rlTAKBggqhkjOPQQDAgNHADBEAiAo
        BTzeDoevu6g0kwydm9fM/omNhwbrG2P2fHv51m1jYAIgW3anKBzB9P89nc7rQ8PS
        IQSmjbbjrYShY80k6HxKn4A=
        -----END CERTIFICATE-----

        """
    /// Valid from 2060-01-01 00:00:00 to 2061-04-01 12:00:00 UTC (GeneralizedTime).
    private static let later = """
        -----BEGIN CERTIFICATE-----
        MIIBAzCBqgIBAjAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFyMCIYDzIwNjAwMTAx
        MDAwMDAwWhgPMjA2MTA0MDExMjAwMDBaMAwxCjAIBgNVBAMMAXIwWTATBgcqhkjO
        PQIBBggqhkjOPQMBBwNCAASXdWf5O6YOkJYKWMfyB6Qfc+Cq+w/dMXLJJTILCx5l
        emBAu0zW7LPcEWZXxuue+jIYlkT6asDuD4kjbphvjuuVMAoGCCqGSM49BAMCA0gA
        MEUCIQCq9KNAkkw9yD7jIVbdY1sG/drpbeqIbPF59kZ2A8ffdAIgJFGt5ii38YTj
        GbIGAqJfChWmuOLa6U7jBkDbJI9u2dw=
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTvZ0div0DI5+K66X
        ezShwOClO5qzS69r7UFcFeOqpFWhRANCAASXdWf5O6YOkJYKWMfyB6Qfc+Cq+w/d
        MXLJJTILCx5lemBAu0zW7LPcEWZXxuue+jIYlkT6asDuD4kjbphvjuuV
        -----END PRIVATE KEY-----

        """

    @Test("times of a certificate are read in both forms of X.509")
    func times() throws {
        let near = try #require(CertificateValidity(pem: Self.certificate))
        #expect(near.from.formatted(.iso8601) == "2026-01-01T00:00:00Z")
        #expect(near.to.formatted(.iso8601) == "2026-04-01T12:00:00Z")
        let far = try #require(CertificateValidity(pem: "text before\n" + Self.later + Self.certificate))
        #expect(far.from.formatted(.iso8601) == "2060-01-01T00:00:00Z")
        #expect(far.to.formatted(.iso8601) == "2061-04-01T12:00:00Z")
    }

    @Test("a damaged certificate has no times, and no damage traps")
    func damage() {
        let lines = Self.certificate.split(separator: "\n")
        let der = Array(Data(base64Encoded: lines.dropFirst().dropLast().joined()) ?? Data())
        #expect(der.count > 200)
        func pem(_ bytes: [UInt8]) -> String {
            "-----BEGIN CERTIFICATE-----\n\(Data(bytes).base64EncodedString())\n-----END CERTIFICATE-----"
        }
        #expect(CertificateValidity(pem: pem(der)) != nil)
        for length in 0..<der.count { #expect(CertificateValidity(pem: pem(Array(der[..<length]))) == nil) }
        // The fields up to the validity are 70 bytes; each value of each byte.
        for index in 0..<70 {
            for value in UInt8.min...UInt8.max {
                var bytes = der
                bytes[index] = value
                _ = CertificateValidity(pem: pem(bytes))
            }
        }
        #expect(CertificateValidity(pem: "") == nil)
        #expect(CertificateValidity(pem: "-----END CERTIFICATE----------BEGIN CERTIFICATE-----") == nil)
    }

    @Test(
        "the certificate of the HTTP port is checked against the time",
        arguments: [
            ("2025-12-31T23:59:59Z", DoctorFinding.Level.fail), ("2026-01-01T00:00:01Z", .ok),
            ("2026-03-18T12:00:00Z", .ok), ("2026-03-18T12:00:01Z", .warn), ("2026-04-01T12:00:00Z", .fail),
        ])
    func validity(now: String, level: DoctorFinding.Level) throws {
        try withFiles(certificate: Self.certificate, key: Self.key) { configuration in
            let finding = Doctor(configuration: configuration).certificate(at: try Date(now, strategy: .iso8601))
            #expect(finding.level == level, "\(finding.detail)")
            #expect((finding.advice != nil) == (level != .ok))
        }
    }

    @Test("files that the HTTP port cannot use fail the check")
    func unusable() throws {
        try withFiles(certificate: Self.certificate, key: "no key") { configuration in
            #expect(Doctor(configuration: configuration).certificate().level == .fail)
        }
        #expect(Doctor(configuration: RelayConfiguration()).certificate().level == .ok)
    }

    private func withFiles(certificate: String, key: String, _ body: (RelayConfiguration) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doctor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = RelayConfiguration()
        configuration.httpTLSCertificate = folder.appending(path: "certificate.pem").path
        configuration.httpTLSKey = folder.appending(path: "key.pem").path
        try certificate.write(toFile: configuration.httpTLSCertificate, atomically: true, encoding: .utf8)
        try key.write(toFile: configuration.httpTLSKey, atomically: true, encoding: .utf8)
        try body(configuration)
    }
}
