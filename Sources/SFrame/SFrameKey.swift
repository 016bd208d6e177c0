import COpenSSL
import Cryptography

/// Key and salt of one key id (RFC 9605 section 4.4.2), and the ciphers under it.
///
/// Not thread-safe: it belongs to one sealer or opener.
final class SFrameKey {
    let suite: SFrameSuite
    let keyID: UInt64
    private let salt: [UInt8]
    private let hmac: HMACSHA256?
    private let cipher: OpaquePointer

    /// Bytes of a nonce (Nn), in every suite.
    static let nonceLength = 12

    /// - Parameter baseKey: the secret that keys of all ids are derived from.
    init(_ suite: SFrameSuite, baseKey: [UInt8], keyID: UInt64) throws(SFrameFailure) {
        let derived = Self.derive(suite, baseKey, keyID)
        self.suite = suite
        self.keyID = keyID
        salt = derived.salt
        hmac = suite.isAEAD ? nil : HMACSHA256(key: derived.key[suite.cipherKeyLength...])
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library }
        self.cipher = cipher
        let algorithm = suite == .aes256GCM ? EVP_aes_256_gcm() : suite.isAEAD ? EVP_aes_128_gcm() : EVP_aes_128_ctr()
        // The direction is set with each nonce; GCM and CTR use the same key schedule in both.
        guard EVP_CipherInit_ex(cipher, algorithm, nil, derived.key, nil, 1) == 1 else { throw .library }
    }

    deinit { EVP_CIPHER_CTX_free(cipher) }

    static func derive(
        _ suite: SFrameSuite, _ baseKey: [UInt8], _ keyID: UInt64
    ) -> (key: [UInt8], salt: [UInt8]) {
        let secret = HKDF.extract(baseKey, salt: [], suite.hash)
        let id =
            withUnsafeBytes(of: keyID.bigEndian, Array.init) + withUnsafeBytes(of: suite.rawValue.bigEndian, Array.init)
        return (
            HKDF.expand(
                secret, info: Array("SFrame 1.0 Secret key ".utf8) + id, count: suite.keyLength, suite.hash),
            HKDF.expand(secret, info: Array("SFrame 1.0 Secret salt ".utf8) + id, count: nonceLength, suite.hash)
        )
    }

    /// Encrypts `bytes` in place and writes the tag behind them: `suite.tagLength` bytes at `tag`.
    func seal(
        _ bytes: UnsafeMutableRawBufferPointer, tag: UnsafeMutablePointer<UInt8>, counter: UInt64,
        header: UnsafeRawBufferPointer,
        metadata: UnsafeRawBufferPointer
    ) throws(SFrameFailure) {
        let done = withNonce(counter) { nonce in
            if let hmac {
                guard crypt(bytes, nonce, encrypts: 1) else { return false }
                withTag(hmac, nonce, bytes, header, metadata) { tag.update(from: $0, count: suite.tagLength) }
                return true
            }
            return cryptAEAD(bytes, nonce, header, metadata, encrypts: 1)
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(suite.tagLength), tag) == 1
        }
        if !done { throw .library }
    }

    /// Authenticates and decrypts `bytes` in place. They are undefined if it throws.
    func open(
        _ bytes: UnsafeMutableRawBufferPointer, tag: UnsafeMutablePointer<UInt8>, counter: UInt64,
        header: UnsafeRawBufferPointer,
        metadata: UnsafeRawBufferPointer
    ) throws(SFrameFailure) {
        let isAuthentic = withNonce(counter) { nonce in
            if let hmac {
                let matches = withTag(hmac, nonce, bytes, header, metadata) {
                    CRYPTO_memcmp($0, tag, suite.tagLength) == 0
                }
                return matches && crypt(bytes, nonce, encrypts: 0)
            }
            return cryptAEAD(bytes, nonce, header, metadata, encrypts: 0, tag: tag)
        }
        if !isAuthentic { throw .authentication }
    }

    /// The salt with the counter added to its last eight bytes by XOR, followed by the four zero bytes at which counter mode begins.
    private func withNonce<R>(_ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> R) -> R {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { nonce in
            for index in 0..<16 {
                let shift = UInt64(8 * (Self.nonceLength - 1 - min(index, Self.nonceLength - 1)))
                let counted = index >= 4 ? UInt8(truncatingIfNeeded: counter >> shift) : 0
                nonce[index] = index < Self.nonceLength ? salt[index] ^ counted : 0
            }
            return body(nonce.baseAddress!)
        }
    }

    private func crypt(_ bytes: UnsafeMutableRawBufferPointer, _ nonce: UnsafePointer<UInt8>, encrypts: Int32) -> Bool {
        guard EVP_CipherInit_ex(cipher, nil, nil, nil, nonce, encrypts) == 1 else { return false }
        return update(bytes)
    }

    private func cryptAEAD(
        _ bytes: UnsafeMutableRawBufferPointer, _ nonce: UnsafePointer<UInt8>, _ header: UnsafeRawBufferPointer,
        _ metadata: UnsafeRawBufferPointer, encrypts: Int32, tag: UnsafeMutablePointer<UInt8>? = nil
    ) -> Bool {
        guard EVP_CipherInit_ex(cipher, nil, nil, nil, nonce, encrypts) == 1 else { return false }
        if let tag, EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(suite.tagLength), tag) != 1 {
            return false
        }
        guard associate(header), associate(metadata), update(bytes) else { return false }
        var written: Int32 = 0
        var none: UInt8 = 0
        return EVP_CipherFinal_ex(cipher, &none, &written) == 1
    }

    private func associate(_ data: UnsafeRawBufferPointer) -> Bool {
        guard let address = data.baseAddress, !data.isEmpty else { return true }
        var written: Int32 = 0
        return EVP_CipherUpdate(cipher, nil, &written, address.assumingMemoryBound(to: UInt8.self), Int32(data.count))
            == 1
    }

    private func update(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard let address = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else { return true }
        var written: Int32 = 0
        return EVP_CipherUpdate(cipher, address, &written, address, Int32(bytes.count)) == 1
    }

    /// The code of section 4.5.1: three lengths of eight bytes, nonce, associated data, ciphertext.
    private func withTag<R>(
        _ hmac: HMACSHA256, _ nonce: UnsafePointer<UInt8>, _ ciphertext: UnsafeMutableRawBufferPointer,
        _ header: UnsafeRawBufferPointer, _ metadata: UnsafeRawBufferPointer, _ body: (UnsafePointer<UInt8>) -> R
    ) -> R {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HMACSHA256.digestLength) { digest in
            hmac.authenticate(to: digest.baseAddress!) { context in
                var lengths = (
                    UInt64(header.count + metadata.count).bigEndian, UInt64(ciphertext.count).bigEndian,
                    UInt64(suite.tagLength).bigEndian
                )
                SHA256_Update(&context, &lengths, 24)
                SHA256_Update(&context, nonce, Self.nonceLength)
                if !header.isEmpty { SHA256_Update(&context, header.baseAddress, header.count) }
                if !metadata.isEmpty { SHA256_Update(&context, metadata.baseAddress, metadata.count) }
                if !ciphertext.isEmpty { SHA256_Update(&context, ciphertext.baseAddress, ciphertext.count) }
            }
            return body(digest.baseAddress!)
        }
    }
}
