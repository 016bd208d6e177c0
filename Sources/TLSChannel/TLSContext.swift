import COpenSSL

/// Settings of TLS connections, for any number of connections in any threads: TLS 1.2 or 1.3, with forward secrecy and authenticated
/// encryption only; no renegotiation, compression or resumption.
package final class TLSContext: Sendable {
    /// The only protocol that is negotiated (RFC 7301).
    private static let applicationProtocol = Array("http/1.1".utf8)

    // Reference counted by OpenSSL with atomics, and not changed after `init`.
    nonisolated(unsafe) let handle: OpaquePointer
    /// Whether clients check the certificate's names and signatures.
    let checksPeer: Bool
    /// Check of the peer's certificate by its fingerprint; nil: none. OpenSSL has a pointer to it, so it lives as long as the context.
    let fingerprintCheck: FingerprintCheck?

    private init(_ handle: OpaquePointer, checksPeer: Bool, fingerprintCheck: FingerprintCheck? = nil) {
        self.handle = handle
        self.checksPeer = checksPeer
        self.fingerprintCheck = fingerprintCheck
        fingerprintCheck?.attach(to: handle)
    }

    deinit { SSL_CTX_free(handle) }

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - certificates: PEM text with the server's own certificate first, followed by intermediate certificates.
    ///   - key: PEM text with the unencrypted private key.
    ///   - clients: returns whether a client with this SHA-256 of its certificate is accepted. Called in the thread of the connection during the
    ///     handshake, so it must not wait. With it, each client must present a certificate, and only TLS 1.3 is negotiated. Nil: clients are
    ///     not asked for a certificate.
    /// - Throws: `certificates`, `key` or `keyMismatch`.
    package static func server(
        certificates: [UInt8], key: [UInt8], clients: (@Sendable ([UInt8]) -> Bool)? = nil
    ) throws(TLSFailure) -> TLSContext {
        let check = clients.map { FingerprintCheck($0) }
        let handle = try make(TLS_server_method(), oldest: check == nil ? TLS1_2_VERSION : TLS1_3_VERSION)
        let context = TLSContext(handle, checksPeer: false, fingerprintCheck: check)
        if check != nil { SSL_CTX_set_verify(handle, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil) }
        try context.use(certificates: certificates, key: key)
        SSL_CTX_set_alpn_select_cb(
            context.handle,
            { _, out, length, offered, count, _ in
                TLSContext.select(out, length, UnsafeBufferPointer(start: offered, count: Int(count)))
            }, nil)
        return context
    }

    /// Creates the context of a client.
    ///
    /// - Parameters:
    ///   - trust: certificates of servers that are accepted. With a fingerprint, only TLS 1.3 is negotiated.
    ///   - identity: PEM texts with the client's certificate and its unencrypted private key, for servers that ask for them.
    /// - Throws: `certificates` if the authorities or the client's certificate cannot be read; `key` or `keyMismatch`.
    package static func client(
        _ trust: TLSTrust, identity: (certificates: [UInt8], key: [UInt8])? = nil
    ) throws(TLSFailure) -> TLSContext {
        var (checksPeer, check) = (true, FingerprintCheck?.none)
        switch trust {
        case .system, .authorities: break
        case .fingerprint(let known): (checksPeer, check) = (false, FingerprintCheck { $0 == known })
        case .everyone: checksPeer = false
        }
        let handle = try make(TLS_client_method(), oldest: check == nil ? TLS1_2_VERSION : TLS1_3_VERSION)
        let context = TLSContext(handle, checksPeer: checksPeer, fingerprintCheck: check)
        SSL_CTX_set_verify(handle, checksPeer || check != nil ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.handle) == 1 else {
                throw .takeLibraryError("no system store")
            }
        case .authorities(let text): try context.trust(text)
        case .fingerprint, .everyone: break
        }
        if let identity { try context.use(certificates: identity.certificates, key: identity.key) }
        let protocols = [UInt8(applicationProtocol.count)] + applicationProtocol
        // This function returns 0 on success.
        guard SSL_CTX_set_alpn_protos(context.handle, protocols, UInt32(protocols.count)) == 0 else {
            throw .takeLibraryError("no memory for a context")
        }
        return context
    }

    private static func make(_ method: OpaquePointer?, oldest: Int32) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(method) else { throw .takeLibraryError("no memory for a context") }
        SSL_CTX_set_options(context, millrace_tls_options)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // An idle connection keeps no record buffers, 34 KiB.
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_set_security_level(context, 2)
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(oldest), nil) == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_3_VERSION), nil) == 1,
            // TLS 1.3 would otherwise send two tickets, whatever the options say.
            SSL_CTX_set_num_tickets(context, 0) == 1,
            SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1,
            SSL_CTX_ctrl(context, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: groups.utf8Start))
                == 1
        else {
            SSL_CTX_free(context)
            throw .takeLibraryError("no context")
        }
        return context
    }

    private func use(certificates: [UInt8], key: [UInt8]) throws(TLSFailure) {
        try use(certificates: certificates)
        let key = try PEM.key(key)
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(handle, key) == 1, SSL_CTX_check_private_key(handle) == 1 else {
            ERR_clear_error()
            throw .keyMismatch
        }
    }

    private func use(certificates text: [UInt8]) throws(TLSFailure) {
        let chain = try PEM.certificates(text)
        defer { for certificate in chain { X509_free(certificate) } }
        guard SSL_CTX_use_certificate(handle, chain[0]) == 1 else {
            throw .certificates(TLSFailure.takeReason() ?? "it cannot be used")
        }
        for certificate in chain.dropFirst() {
            // Increments the reference count of the certificate.
            guard SSL_CTX_ctrl(handle, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate)) == 1 else {
                throw .certificates(TLSFailure.takeReason() ?? "an intermediate certificate cannot be used")
            }
        }
    }

    private func trust(_ text: [UInt8]) throws(TLSFailure) {
        let authorities = try PEM.certificates(text)
        defer { for certificate in authorities { X509_free(certificate) } }
        let store = SSL_CTX_get_cert_store(handle)
        for certificate in authorities {
            guard X509_STORE_add_cert(store, certificate) == 1 else {
                throw .certificates(TLSFailure.takeReason() ?? "a certificate cannot be used")
            }
        }
    }

    /// Selects the protocol in a client's list, each name after a byte with its length. A client that offers only others gets no protocol, as
    /// if it offered none.
    private static func select(
        _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt8>?,
        _ offered: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        var index = 0
        while index < offered.count {
            let name = index + 1..<min(index + 1 + Int(offered[index]), offered.count)
            if offered[name].elementsEqual(applicationProtocol), let base = offered.baseAddress {
                out?.pointee = base + name.lowerBound
                length?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            }
            index = name.upperBound
        }
        return SSL_TLSEXT_ERR_NOACK
    }

    private static let groups: StaticString = "X25519:P-256:P-384"
}
