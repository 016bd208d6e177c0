/// Hybrid public key encryption (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-128-GCM, in the modes base and auth.
///
/// Anyone can seal a message in the base mode. In the auth mode the receiver also knows that the holder of the sender's private key, or of the
/// receiver's own one, sealed it.
package enum HPKE {
    /// Bytes of an encapsulated key.
    package static let encapsulatedKeyLength = X25519PrivateKey.length
    /// Bytes that a ciphertext has in addition to its plaintext.
    package static let overhead = AES128GCM.tagLength

    /// Seals one message to the holder of a public key.
    /// - Parameters:
    ///   - sender: key that authenticates the message (mode auth); nil for the mode base.
    ///   - info: context that both sides know, from which the message's key is derived.
    ///   - generator: secure outside of tests.
    package static func seal(
        _ plaintext: [UInt8], to receiver: [UInt8], from sender: X25519PrivateKey? = nil, info: [UInt8],
        associatedData: [UInt8] = [], using generator: inout some RandomNumberGenerator
    ) throws(HPKEFailure) -> HPKEMessage {
        let ephemeral = try X25519PrivateKey(using: &generator)
        var context = try senderContext(ephemeral, to: receiver, from: sender, info: info)
        return HPKEMessage(
            encapsulatedKey: ephemeral.publicKey,
            ciphertext: try context.seal(plaintext, associatedData: associatedData))
    }

    /// Opens one message.
    /// - Parameter sender: public key of the sender if the message was sealed in the mode auth; nil for the mode base.
    /// - Throws: `authentication` for a message of another sender, receiver or context; `invalidKey`.
    package static func open(
        _ message: HPKEMessage, with receiver: X25519PrivateKey, from sender: [UInt8]? = nil, info: [UInt8],
        associatedData: [UInt8] = []
    ) throws(HPKEFailure) -> [UInt8] {
        var context = try receiverContext(message.encapsulatedKey, with: receiver, from: sender, info: info)
        return try context.open(message.ciphertext, associatedData: associatedData)
    }

    static func senderContext(
        _ ephemeral: X25519PrivateKey, to receiver: [UInt8], from sender: X25519PrivateKey?, info: [UInt8]
    ) throws(HPKEFailure) -> HPKEContext {
        var secrets = try ephemeral.sharedSecret(with: receiver)
        var keys = ephemeral.publicKey + receiver
        if let sender {
            secrets += try sender.sharedSecret(with: receiver)
            keys += sender.publicKey
        }
        return context(secrets, keys, isAuthenticated: sender != nil, info)
    }

    static func receiverContext(
        _ encapsulatedKey: [UInt8], with receiver: X25519PrivateKey, from sender: [UInt8]?, info: [UInt8]
    ) throws(HPKEFailure) -> HPKEContext {
        var secrets = try receiver.sharedSecret(with: encapsulatedKey)
        var keys = encapsulatedKey + receiver.publicKey
        if let sender {
            secrets += try receiver.sharedSecret(with: sender)
            keys += sender
        }
        return context(secrets, keys, isAuthenticated: sender != nil, info)
    }

    /// ExtractAndExpand of the KEM (RFC 9180 section 4.1), then the key schedule (section 5.1).
    private static func context(
        _ secrets: [UInt8], _ keys: [UInt8], isAuthenticated: Bool, _ info: [UInt8]
    ) -> HPKEContext {
        let kem = HPKESchedule(suite: Array("KEM".utf8) + [0, 0x20])
        let sharedSecret = kem.expand(
            kem.extract(secrets, "eae_prk", salt: []), "shared_secret", keys, count: HashFunction.sha256.length)
        let schedule = HPKESchedule(suite: Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 1])
        let mode: UInt8 = isAuthenticated ? 2 : 0
        let bound =
            [mode] + schedule.extract([], "psk_id_hash", salt: []) + schedule.extract(info, "info_hash", salt: [])
        let secret = schedule.extract([], "secret", salt: sharedSecret)
        return HPKEContext(
            key: schedule.expand(secret, "key", bound, count: AES128GCM.keyLength),
            baseNonce: schedule.expand(secret, "base_nonce", bound, count: AES128GCM.nonceLength))
    }
}
