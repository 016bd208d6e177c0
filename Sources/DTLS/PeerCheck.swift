import COpenSSL
import MediaBase

/// Decides about the certificate that a peer shows: it must have one of the announced fingerprints (RFC 5763 section 5). Nobody else
/// vouches for it; names, dates and signatures of the certificate itself are of no account.
final class PeerCheck {
    private let fingerprints: [CertificateFingerprint]
    /// Why the peer was turned away.
    private(set) var failure: DTLSFailure?

    init(_ fingerprints: [CertificateFingerprint]) { self.fingerprints = fingerprints }

    /// Makes `verify` find this object; it has to live as long as the connection.
    func attach(to ssl: OpaquePointer) {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    /// OpenSSL's call for the chain of a peer, in place of its own check.
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
        // Both sides have said by now which suites they take: later there would be no way to tell the peer why.
        guard SSL_get_selected_srtp_profile(OpaquePointer(ssl)) != nil else {
            check.failure = .noSRTPProfile
            X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
            return 0
        }
        return 1
    }
}
