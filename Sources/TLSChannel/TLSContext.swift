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

    private init(_ handle: OpaquePointer, checksPeer: Bool) {
        self.handle = handle
        self.checksPeer = checksPeer
    }

    deinit { SSL_CTX_free(handle) }

    /// Creates the context of a server.
    ///
    /// - Parameters:
    ///   - certificates: PEM text with the server's own certificate first, followed by intermediate certificates.
    ///   - key: PEM text with the unencrypted private key.
    /// - Throws: `certificates`, `key` or `keyMismatch`.
    package static func server(certificates: [UInt8], key: [UInt8]) throws(TLSFailure) -> TLSContext {
        let context = TLSContext(try make(TLS_server_method()), checksPeer: false)
        try context.use(certificates: certificates)
        let key = try PEM.key(key)
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(context.handle, key) == 1, SSL_CTX_check_private_key(context.handle) == 1 else {
            ERR_clear_error()
            throw .keyMismatch
        }
        SSL_CTX_set_alpn_select_cb(
            context.handle,
            { _, out, length, offered, count, _ in
                TLSContext.select(out, length, UnsafeBufferPointer(start: offered, count: Int(count)))
            }, nil)
        return context
    }

    /// Creates the context of a client.
    /// - Throws: `certificates` if the authorities cannot be read.
    package static func client(_ trust: TLSTrust) throws(TLSFailure) -> TLSContext {
        var checksPeer = true
        if case .everyone = trust { checksPeer = false }
        let context = TLSContext(try make(TLS_client_method()), checksPeer: checksPeer)
        SSL_CTX_set_verify(context.handle, checksPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.handle) == 1 else {
                throw .takeLibraryError("no system store")
            }
        case .authorities(let text): try context.trust(text)
        case .everyone: break
        }
        let protocols = [UInt8(applicationProtocol.count)] + applicationProtocol
        // This function returns 0 on success.
        guard SSL_CTX_set_alpn_protos(context.handle, protocols, UInt32(protocols.count)) == 0 else {
            throw .takeLibraryError("no memory for a context")
        }
        return context
    }

    private static func make(_ method: OpaquePointer?) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(method) else { throw .takeLibraryError("no memory for a context") }
        SSL_CTX_set_options(context, millrace_tls_options)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // An idle connection keeps no record buffers, 34 KiB.
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_set_security_level(context, 2)
        guard SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
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
