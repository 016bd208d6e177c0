import COpenSSL

/// Private key of X25519 (RFC 7748), with its public key.
package struct X25519PrivateKey: Sendable {
    /// Bytes of a private key, a public key and a shared secret.
    package static let length = 32

    private let bytes: [UInt8]
    /// The public key: `length` bytes.
    package let publicKey: [UInt8]

    /// - Throws: `invalidKey` unless there are 32 bytes.
    package init(bytes: [UInt8]) throws(HPKEFailure) {
        guard bytes.count == Self.length else { throw .invalidKey }
        let key = try Self.key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, bytes, bytes.count))
        defer { EVP_PKEY_free(key) }
        var publicKey = [UInt8](repeating: 0, count: Self.length)
        var count = publicKey.count
        guard EVP_PKEY_get_raw_public_key(key, &publicKey, &count) == 1, count == Self.length else { throw .library }
        self.bytes = bytes
        self.publicKey = publicKey
    }

    /// Makes a new key.
    /// - Parameter generator: secure outside of tests.
    package init(using generator: inout some RandomNumberGenerator) throws(HPKEFailure) {
        try self.init(bytes: (0..<Self.length).map { _ in .random(in: .min ... .max, using: &generator) })
    }

    /// Returns the secret that is shared with the holder of another key.
    /// - Throws: `invalidKey` if the public key has another length than 32 bytes, or is one of the points for which the secret is zero
    ///   whatever the private key is (RFC 9180 section 7.1.4).
    package func sharedSecret(with publicKey: [UInt8]) throws(HPKEFailure) -> [UInt8] {
        guard publicKey.count == Self.length else { throw .invalidKey }
        let own = try Self.key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, bytes, bytes.count))
        defer { EVP_PKEY_free(own) }
        let peer = try Self.key(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, publicKey.count))
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(own, nil) else { throw .library }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1 else { throw .library }
        var secret = [UInt8](repeating: 0, count: Self.length)
        var count = secret.count
        // OpenSSL fails if the secret is zero.
        guard EVP_PKEY_derive(context, &secret, &count) == 1, count == Self.length else {
            // An error that stays in the thread's queue would be taken for one of a TLS connection.
            ERR_clear_error()
            throw .invalidKey
        }
        return secret
    }

    private static func key(_ key: OpaquePointer?) throws(HPKEFailure) -> OpaquePointer {
        guard let key else { throw .library }
        return key
    }
}

// A key must not reach a log by being interpolated into a message.
extension X25519PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "X25519PrivateKey" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
