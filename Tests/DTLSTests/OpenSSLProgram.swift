import Foundation
import MediaBase
import MillraceTestKit
import Testing

/// `openssl s_client` or `s_server` with a certificate of its own, as an independent DTLS peer.
final class OpenSSLProgram {
    enum Key: String, CaseIterable, CustomTestStringConvertible {
        case ecdsa, rsa
        var testDescription: String { rawValue }
        var arguments: [String] {
            self == .rsa ? ["-newkey", "rsa:2048"] : ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        }
    }

    static let tool = MediaTool("openssl")
    let certificate: String
    let key: String
    private let process = Process()
    private let input = Pipe()
    private let output = TemporaryFolder.shared.file("openssl.out")

    init(_ kind: Key) throws {
        certificate = TemporaryFolder.shared.file("certificate.pem")
        key = TemporaryFolder.shared.file("key.pem")
        let made = try Self.tool.run(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=peer", "-keyout", key, "-out", certificate]
                + kind.arguments)
        guard made.status == 0 else { throw Fault(text: made.errors) }
    }

    struct Fault: Error { var text: String }

    func fingerprint(_ algorithm: CertificateFingerprint.Algorithm) throws -> CertificateFingerprint? {
        let name = algorithm.rawValue.replacingOccurrences(of: "-", with: "")
        let text = try Self.tool.run(["x509", "-in", certificate, "-noout", "-fingerprint", "-" + name]).text
        let digits = text.split(separator: "=").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return CertificateFingerprint(algorithm.rawValue + " " + digits)
    }

    /// Standard input stays open, so that the program runs until it is stopped or its peer closes.
    func start(_ arguments: [String]) throws {
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.executableURL = URL(fileURLWithPath: Self.tool.path ?? "/nonexistent")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
    }

    /// Sends text as application data through `s_client` or `s_server`.
    func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }

    /// Bytes that the program printed as the exporter's result (`-keymatexport`); nil until then.
    var keyingMaterial: [UInt8]? {
        guard let line = printed.split(separator: "\n").first(where: { $0.contains("Keying material: ") }) else {
            return nil
        }
        let digits = Array(line.split(separator: " ").last ?? "").compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    func stop() {
        // Not SIGTERM: a program started from a thread of the test runner has it blocked.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
