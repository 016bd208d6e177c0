import COpenSSL
import MediaBase

/// Verifies the peer's certificate: it must have one of the announced fingerprints (RFC 5763 section 5). No certificate authority is
/// involved; names, dates and signatures of the certificate are ignored.
final class PeerCheck {
    private let fingerprints: [CertificateFingerprint]
    /// Reason why the peer was rejected.
    private(set) var failure: DTLSFailure?

    init(_ fingerprints: [CertificateFingerprint]) { self.fingerprints = fingerprints }

    /// Makes `verify` find this object, which must live as long as the connection.
    func attach(to ssl: OpaquePointer) {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    /// OpenSSL's callback that replaces its own verification of the peer's certificate chain.
    static func verify(_ store: OpaquePointer?) -> Int32 {
        guard let store, let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let address = SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return 0 }
        let check = Unmanaged<PeerCheck>.fromOpaque(address).takeUnretainedValue()
        guard let certificate = X509_STORE_CTX_get0_cert(store),
            check.fingerprints.contains(where: { $0.matches(certificate) })
        else {
            check.failure = .fingerprintMismatch
            X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
            return 0
        }
        // Both sides have announced their suites by now. Later there would be no way to tell the peer the reason.
        guard SSL_get_selected_srtp_profile(OpaquePointer(ssl)) != nil else {
            check.failure = .noSRTPProfile
            X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
            return 0
        }
        return 1
    }
}
