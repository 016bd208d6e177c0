import COpenSSL
import Foundation

/// Certificates and keys in PEM text (RFC 7468), as OpenSSL objects that the caller frees.
package enum PEM {
    /// Maximum size of a text: the certificates of all public authorities together have 250 KB.
    static let maximumBytes = 4 << 20

    /// Reads a file of at most 4 MiB.
    /// - Throws: `file`.
    package static func file(_ path: String) throws(TLSFailure) -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw .file(path: path, reason: String(cString: strerror(errno))) }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: maximumBytes + 1)
        let count = fread(&text, 1, text.count, file)
        guard ferror(file) == 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
        guard count <= maximumBytes else {
            throw .file(path: path, reason: "it has more than \(maximumBytes) bytes")
        }
        return Array(text.prefix(count))
    }

    /// Returns all certificates of a text, at least one, in order. Other content is skipped.
    /// - Throws: `certificates`.
    static func certificates(_ text: [UInt8]) throws(TLSFailure) -> [OpaquePointer] {
        let bio = try open(text)
        defer { BIO_free(bio) }
        var certificates: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
            certificates.append(certificate)
        }
        // The end of the text is an error as well.
        let isAtEnd = millrace_err_reason(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        let reason = TLSFailure.takeReason()
        guard isAtEnd, !certificates.isEmpty else {
            for certificate in certificates { X509_free(certificate) }
            throw .certificates(isAtEnd ? "the file contains none" : reason ?? "the file is not PEM")
        }
        return certificates
    }

    /// Returns the first private key of a text.
    /// - Throws: `key`, also if the key is encrypted.
    static func key(_ text: [UInt8]) throws(TLSFailure) -> OpaquePointer {
        let bio = try open(text)
        defer { BIO_free(bio) }
        // OpenSSL's own callback would ask for a passphrase at the terminal.
        guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else {
            throw .key(TLSFailure.takeReason() ?? "the file contains none")
        }
        ERR_clear_error()
        return key
    }

    private static func open(_ text: [UInt8]) throws(TLSFailure) -> OpaquePointer {
        guard text.count <= maximumBytes else { throw .library("PEM text of more than \(maximumBytes) bytes") }
        ERR_clear_error()
        guard let bio = BIO_new(BIO_s_mem()) else { throw .takeLibraryError("no memory for a BIO") }
        guard text.isEmpty || BIO_write(bio, text, Int32(text.count)) == Int32(text.count) else {
            BIO_free(bio)
            throw .takeLibraryError("no memory for a BIO")
        }
        return bio
    }
}
