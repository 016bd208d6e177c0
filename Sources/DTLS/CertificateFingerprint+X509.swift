import COpenSSL
import MediaBase

extension CertificateFingerprint {
    /// Computes the hash of a certificate's DER encoding (RFC 8122 section 5).
    init?(of certificate: OpaquePointer, _ algorithm: Algorithm) {
        let hash =
            switch algorithm {
            case .sha1: EVP_sha1()
            case .sha224: EVP_sha224()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard X509_digest(certificate, hash, &bytes, &length) == 1 else { return nil }
        self.init(algorithm, bytes: Array(bytes.prefix(Int(length))))
    }

    /// Returns whether this is the fingerprint of `certificate`.
    func matches(_ certificate: OpaquePointer) -> Bool {
        CertificateFingerprint(of: certificate, algorithm) == self
    }
}
