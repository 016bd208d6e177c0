import Foundation
import MillraceTestKit
import TLSChannel
import Testing

@Suite("Certificates and keys") struct TLSContextTests {
    private func failure(_ certificates: [UInt8], _ key: [UInt8]) -> TLSFailure? {
        do throws(TLSFailure) {
            _ = try TLSContext.server(certificates: certificates, key: key)
            return nil
        } catch {
            return error
        }
    }

    @Test("texts without a certificate or key, and keys of other certificates, are typed errors") func unusable() {
        #expect(failure(TestCertificates.leaf, TestCertificates.key) == nil)
        // The key and the certificate can be in one file.
        let both = TestCertificates.key + TestCertificates.leaf
        #expect(failure(both, both) == nil)
        for text in [[], Array("no certificate".utf8), TestCertificates.key, Array(TestCertificates.leaf.dropLast(40))]
        {
            guard case .certificates = failure(text, TestCertificates.key) else {
                Issue.record("taken: \(String(decoding: text, as: UTF8.self))")
                continue
            }
        }
        for text in [[], Array("no key".utf8), TestCertificates.leaf, Array(TestCertificates.key.dropLast(40))] {
            guard case .key = failure(TestCertificates.leaf, text) else {
                Issue.record("taken: \(String(decoding: text, as: UTF8.self))")
                continue
            }
        }
        #expect(failure(TestCertificates.leaf, TestCertificates.otherKey) == .keyMismatch)
    }

    @Test("a damaged certificate or key never traps", arguments: UInt64(0)..<50) func damaged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (certificates, key) = (TestCertificates.leaf, TestCertificates.key)
        for _ in 0..<3 {
            certificates[random.below(certificates.count)] = UInt8(32 + random.below(95))
            key[random.below(key.count)] = UInt8(32 + random.below(95))
        }
        _ = failure(certificates, TestCertificates.key)
        _ = failure(TestCertificates.leaf, key)
    }

    @Test("authorities without a certificate are a typed error") func authorities() {
        #expect(throws: TLSFailure.self) { try TLSContext.client(.authorities([])) }
        #expect(throws: TLSFailure.self) { try TLSContext.client(.authorities(Array("no certificate".utf8))) }
        #expect(throws: Never.self) { try TLSContext.client(.authorities(TestCertificates.other)) }
    }

    @Test("a file that cannot be read is an error with its path and the system's reason") func files() throws {
        #expect(throws: TLSFailure.file(path: "/none.pem", reason: "No such file or directory")) {
            try PEM.file("/none.pem")
        }
        #expect(throws: TLSFailure.file(path: "/", reason: "Is a directory")) { try PEM.file("/") }
        let path = TemporaryFolder.shared.path + "/\(UUID().uuidString).pem"
        try Data(TestCertificates.leaf).write(to: URL(filePath: path))
        #expect(try PEM.file(path) == TestCertificates.leaf)
    }
}
