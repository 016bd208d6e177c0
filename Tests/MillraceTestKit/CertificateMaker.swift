import Dispatch
import Foundation

/// Makes certificates with the openssl program.
package struct CertificateMaker {
    package static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    package let folder = TemporaryFolder()
    package var certificate: String { folder.path + "/certificate.pem" }
    package var key: String { folder.path + "/key.pem" }

    package struct Failed: Error {
        package let status: Int32
    }

    package init() {}

    /// Writes a certificate for 127.0.0.1 and its key; a later call writes new ones.
    package func write(name: String) throws {
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ])
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    }

    /// Returns the openssl program's output about a server's handshake.
    package func handshake(port: Int, _ arguments: [String] = []) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            ["s_client", "-connect", "127.0.0.1:\(port)", "-CAfile", certificate, "-verify_return_error"] + arguments
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Not on the threads of the task pool: the relay needs them.
        let data = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: output.fileHandleForReading.readDataToEndOfFile())
            }
        }
        return String(decoding: data, as: UTF8.self)
    }
}
