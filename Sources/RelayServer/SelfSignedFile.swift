import DTLS
import Foundation

/// File with the certificate that the relay makes for itself (`tls` = self-signed) and its key. The certificate stays
/// the same between starts, so that a browser that has accepted it does not ask again.
struct SelfSignedFile {
    /// Days that a new certificate is valid: browsers accept no more than 398.
    static let days = 397
    /// Seconds before its end at which a certificate is replaced.
    private static let renewal = 30 * 86_400

    let directory: String
    var path: String { directory + "/self-signed.pem" }

    /// Returns the certificate in the file. Makes a new one if the file has none, it ends within 30 days, or it lacks a
    /// name or an address.
    ///
    /// - Parameters:
    ///   - names: DNS names of the host.
    ///   - addresses: numeric addresses of the host.
    ///   - now: seconds since 1970.
    func prepare(names: [String], addresses: [String], now: Int) throws(RelayError) -> ServerCertificate {
        if let text = try? String(contentsOfFile: path, encoding: .utf8), let old = ServerCertificate(pem: text),
            old.covers(names: names, addresses: addresses, until: now + Self.renewal)
        {
            return old
        }
        do {
            let (certificate, file) = try ServerCertificate.make(names: names, addresses: addresses, days: Self.days)
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try write(file)
            return certificate
        } catch {
            throw .tls("cannot make a self-signed certificate in \(directory): \(error)")
        }
    }

    /// Replaces the file in one step. Only the owner can read it, because it has the key.
    private func write(_ text: String) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        guard rename(temporary, path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
