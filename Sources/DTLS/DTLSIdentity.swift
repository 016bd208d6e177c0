import COpenSSL
package import MediaBase

/// Self-signed certificate with its private key, and the OpenSSL contexts for DTLS 1.2 that use it. One identity serves a whole relay: any
/// number of connections in any threads.
///
/// ```swift
/// let identity = try DTLSIdentity.generate(.ecdsaP256)
/// let line = "a=fingerprint:\(identity.fingerprint)"
/// ```
package final class DTLSIdentity: Sendable {
    package enum Kind: Sendable, CaseIterable {
        /// Required by WebRTC (RFC 8827 section 6.5).
        case ecdsaP256
        /// Compatible with peers that support only RSA.
        case rsa2048
    }

    package let kind: Kind
    /// SHA-256 fingerprint of the certificate.
    package let fingerprint: CertificateFingerprint
    // Reference counted by OpenSSL with atomics, and not changed after `init`.
    nonisolated(unsafe) private let clientContext: OpaquePointer
    nonisolated(unsafe) private let serverContext: OpaquePointer

    /// Generates a new key and certificate: 0.1 ms for ECDSA, tens to hundreds of milliseconds for RSA.
    package static func generate(_ kind: Kind = .ecdsaP256) throws(DTLSFailure) -> DTLSIdentity {
        try DTLSIdentity(kind)
    }

    private init(_ kind: Kind) throws(DTLSFailure) {
        self.kind = kind
        let key = try Self.makeKey(kind)
        defer { EVP_PKEY_free(key) }
        let certificate = try Self.makeCertificate(key)
        defer { X509_free(certificate) }
        guard let fingerprint = CertificateFingerprint(of: certificate, .sha256) else {
            throw .takeLibraryError("no SHA-256")
        }
        self.fingerprint = fingerprint
        let client = try Self.makeContext(DTLS_client_method(), key, certificate)
        do {
            serverContext = try Self.makeContext(DTLS_server_method(), key, certificate)
        } catch {
            SSL_CTX_free(client)
            throw error
        }
        clientContext = client
    }

    deinit {
        SSL_CTX_free(clientContext)
        SSL_CTX_free(serverContext)
    }

    /// Returns the fingerprint with another hash, for a peer that requires one. Not nil for any hash that OpenSSL supports.
    package func fingerprint(_ algorithm: CertificateFingerprint.Algorithm) -> CertificateFingerprint? {
        SSL_CTX_get0_certificate(serverContext).flatMap { CertificateFingerprint(of: $0, algorithm) }
    }

    /// Creates an OpenSSL connection with this identity; the caller frees it.
    func makeConnection(_ role: DTLSConnection.Role) -> OpaquePointer? {
        SSL_new(role == .client ? clientContext : serverContext)
    }

    static func makeKey(_ kind: Kind) throws(DTLSFailure) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_from_name(nil, kind == .ecdsaP256 ? "EC" : "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard context != nil, EVP_PKEY_keygen_init(context) == 1,
            kind == .ecdsaP256
                ? EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
                : EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .takeLibraryError("no \(kind) key") }
        return key
    }

    /// Creates an X.509 version 3 certificate that is signed by its own key with SHA-256. Peers check only its fingerprint.
    private static func makeCertificate(_ key: OpaquePointer) throws(DTLSFailure) -> OpaquePointer {
        guard let certificate = X509_new() else { throw .takeLibraryError("no memory for a certificate") }
        let name = X509_get_subject_name(certificate)
        let day = 24 * 3_600
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...UInt64(Int64.max))) == 1,
            // Valid from a day ago, for peers with a slow clock; valid for ten years, since the relay uses it as long as it runs.
            X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), 3_650 * day) != nil,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, "millrace", -1, -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1, X509_set_pubkey(certificate, key) == 1,
            X509_sign(certificate, key, EVP_sha256()) > 0
        else {
            X509_free(certificate)
            throw .takeLibraryError("no certificate")
        }
        return certificate
    }

    private static func makeContext(
        _ method: OpaquePointer?, _ key: OpaquePointer, _ certificate: OpaquePointer
    ) throws(DTLSFailure) -> OpaquePointer {
        guard let context = SSL_CTX_new(method) else { throw .takeLibraryError("no memory for a context") }
        SSL_CTX_set_options(context, millrace_ssl_options)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_security_level(context, 2)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, { store, _ in PeerCheck.verify(store) }, nil)
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(DTLS1_2_VERSION), nil) == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(DTLS1_2_VERSION), nil) == 1,
            // AES-GCM only: every WebRTC peer supports it (RFC 8827 section 6.5), and the sealer supports no other cipher.
            SSL_CTX_set_cipher_list(
                context,
                "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
                    + ":ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384") == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: groups.utf8Start))
                == 1,
            SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1
        else {
            SSL_CTX_free(context)
            throw .takeLibraryError("no context")
        }
        return context
    }

    private static let groups: StaticString = "X25519:P-256:P-384"
}
