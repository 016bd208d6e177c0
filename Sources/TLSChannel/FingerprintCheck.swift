import COpenSSL

/// Check of a peer's certificate by its SHA-256 alone: names, dates and signatures do not count. The handshake itself proves that the peer
/// has the certificate's key.
final class FingerprintCheck: Sendable {
    private static let length = 32

    private let isKnown: @Sendable ([UInt8]) -> Bool

    init(_ isKnown: @escaping @Sendable ([UInt8]) -> Bool) { self.isKnown = isKnown }

    /// Replaces OpenSSL's own verification. This object must live as long as the context and its connections.
    func attach(to context: OpaquePointer) {
        SSL_CTX_set_cert_verify_callback(
            context, { store, check in FingerprintCheck.verify(store, check) },
            Unmanaged.passUnretained(self).toOpaque())
    }

    private static func verify(_ store: OpaquePointer?, _ check: UnsafeMutableRawPointer?) -> Int32 {
        guard let store, let check else { return 0 }
        let this = Unmanaged<FingerprintCheck>.fromOpaque(check).takeUnretainedValue()
        guard let certificate = X509_STORE_CTX_get0_cert(store), let fingerprint = fingerprint(of: certificate),
            this.isKnown(fingerprint)
        else {
            X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
            return 0
        }
        return 1
    }

    /// Returns the SHA-256 of a certificate's DER encoding.
    private static func fingerprint(of certificate: OpaquePointer) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(certificate, EVP_sha256(), &bytes, &count) == 1, count == length else { return nil }
        return Array(bytes.prefix(length))
    }
}
