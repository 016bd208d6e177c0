package import Cryptography

/// Key pair of one connection, from which participants agree on the secrets of frames. Each join makes a new one.
package struct KeyAgreementIdentity: Sendable {
    let key: X25519PrivateKey

    init(key: X25519PrivateKey) { self.key = key }

    package init(using generator: inout some RandomNumberGenerator) throws(HPKEFailure) {
        key = try X25519PrivateKey(using: &generator)
    }

    /// The public key, as `join` sends it and the relay announces it.
    package var publicKey: String { Base64.encode(key.publicKey) }
}
