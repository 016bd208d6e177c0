import COpenSSL
import NIOCore

/// TLS over memory: encrypted bytes in and out, plaintext in and out. Has no socket and no clock, and is confined to one thread.
///
/// Call `takeOutput` after every other call. No input of a peer makes it trap or grow without limit, if `read` is called after each `receive`
/// once the handshake is complete.
final class TLSConnection {
    /// State after all received records were read.
    enum Progress {
        case needsInput
        /// The peer sent `close_notify`.
        case closed
        case failed(TLSFailure)
    }

    /// Maximum bytes of plaintext in a record (RFC 8446 section 5.1).
    private static let recordBytes = 16_384
    /// Maximum plaintext that is encrypted before `takeOutput`, so that OpenSSL's buffers stay small.
    static let writeBytes = 2 * recordBytes
    /// Maximum input for one `receive`, for the same reason.
    static let receiveBytes = 16_384

    // OpenSSL calls the context's check of certificates while the connection lives.
    private let context: TLSContext
    private let ssl: OpaquePointer
    // Owned by `ssl`.
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Name that the peer's certificate must have; nil: the certificate is not checked.
    private let name: String?

    /// - Parameter server: name or numeric address of the server; nil: this end is the server.
    /// - Throws: `invalidName`.
    init(_ context: TLSContext, server: String?) throws(TLSFailure) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.handle) else { throw .takeLibraryError("no memory for a connection") }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw .takeLibraryError("no memory for a BIO")
        }
        SSL_set_bio(ssl, input, output)
        self.context = context
        self.ssl = ssl
        self.input = input
        self.output = output
        name = context.checksPeer ? server : nil
        if let server {
            SSL_set_connect_state(ssl)
            try setName(server, isChecked: context.checksPeer)
        } else {
            SSL_set_accept_state(ssl)
        }
    }

    deinit { SSL_free(ssl) }

    private func setName(_ server: String, isChecked: Bool) throws(TLSFailure) {
        // A name that ends in a dot is absolute; certificates have it without the dot (RFC 6066 section 3).
        let name = server.hasSuffix(".") ? String(server.dropLast()) : server
        // OpenSSL takes texts that end at the first zero byte.
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .invalidName(server)
        }
        // Server name indication allows no addresses (RFC 6066 section 3).
        let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
        var isSet = true
        if isAddress {
            isSet = !isChecked || X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1
        } else {
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            isSet = !isChecked || SSL_set1_host(ssl, name) == 1
            let isIndicated = name.withCString {
                SSL_ctrl(
                    ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: $0))
            }
            isSet = isSet && isIndicated == 1
        }
        ERR_clear_error()
        guard isSet else { throw .invalidName(server) }
    }

    /// Takes encrypted bytes of the peer.
    /// - Parameter bytes: at most `receiveBytes`.
    func receive(_ bytes: ByteBuffer) throws(TLSFailure) {
        guard bytes.readableBytes > 0 else { return }
        ERR_clear_error()
        let count = bytes.withUnsafeReadableBytes { BIO_write(input, $0.baseAddress, Int32($0.count)) }
        guard count == Int32(bytes.readableBytes) else { throw .takeLibraryError("no memory for input") }
    }

    /// Continues the handshake.
    /// - Returns: whether it is complete; false: it needs input.
    func handshake() throws(TLSFailure) -> Bool {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return true }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
        case SSL_ERROR_ZERO_RETURN: throw .closedDuringHandshake
        default: throw handshakeFailure()
        }
    }

    private func handshakeFailure() -> TLSFailure {
        let result = Int32(truncatingIfNeeded: SSL_get_verify_result(ssl))
        if context.fingerprintCheck != nil {
            if result == X509_V_ERR_CERT_REJECTED {
                ERR_clear_error()
                return .unknownPeer
            }
            if millrace_err_reason(ERR_peek_error()) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE {
                ERR_clear_error()
                return .noCertificate
            }
        }
        guard let name, result != X509_V_OK else { return .takeProtocolError() }
        ERR_clear_error()
        if result == X509_V_ERR_HOSTNAME_MISMATCH || result == X509_V_ERR_IP_ADDRESS_MISMATCH {
            return .nameMismatch(name)
        }
        return .untrusted(X509_verify_cert_error_string(Int(result)).map { String(cString: $0) } ?? "error \(result)")
    }

    /// Appends the plaintext of all complete records received.
    func read(into plaintext: inout ByteBuffer) -> Progress {
        while true {
            ERR_clear_error()
            var result: Int32 = 0
            plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: 1_024) { buffer in
                result = SSL_read(ssl, buffer.baseAddress, Int32(min(buffer.count, Self.recordBytes)))
                return max(0, Int(result))
            }
            if result > 0 { continue }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
            case SSL_ERROR_ZERO_RETURN: return .closed
            default: return .failed(.takeProtocolError())
            }
        }
    }

    /// Estimated length of the plaintext in the received records.
    var pendingInput: Int { BIO_ctrl_pending(input) }

    /// Encrypts plaintext: 1 to `writeBytes` bytes, after the handshake.
    func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSFailure) {
        var rest = plaintext
        while !rest.isEmpty {
            ERR_clear_error()
            // Memory always has room, so a write is never partial for lack of it.
            let count = SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, Self.recordBytes)))
            guard count > 0 else { throw .takeProtocolError() }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
    }

    /// Sends `close_notify`. Nothing can be written after it.
    func close() {
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Returns the encrypted bytes to send; nil if there are none.
    func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = BIO_ctrl_pending(output)
        guard count > 0 else { return nil }
        var bytes = allocator.buffer(capacity: count)
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { buffer in
            max(0, Int(BIO_read(output, buffer.baseAddress, Int32(count))))
        }
        return bytes
    }
}
