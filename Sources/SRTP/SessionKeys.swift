import COpenSSL

/// Session keys of one direction and one protocol, derived from the master key at rate 0 (RFC 3711 section 4.3).
struct SessionKeys {
    /// The labels of RFC 3711 section 4.3.1 and 4.3.2 in the order cipher key, authentication key, salt.
    enum Use: UInt8 {
        case rtp = 0
        case rtcp = 3
    }

    /// 16 bytes.
    let cipherKey: [UInt8]
    /// 20 bytes; empty for an AEAD suite.
    let authenticationKey: [UInt8]
    /// 14 bytes, or 12 for GCM.
    let salt: [UInt8]

    init(cipherKey: [UInt8], authenticationKey: [UInt8], salt: [UInt8]) {
        self.cipherKey = cipherKey
        self.authenticationKey = authenticationKey
        self.salt = salt
    }

    init(_ key: SRTPKey, _ use: Use) {
        let label = use.rawValue
        cipherKey = Self.derive(key, label: label, count: 16)
        authenticationKey = key.suite.isAEAD ? [] : Self.derive(key, label: label + 1, count: 20)
        salt = Self.derive(key, label: label + 2, count: key.suite.masterSaltLength)
    }

    /// Returns `count` bytes (at most 64) of AES counter mode over zeros, from the block (salt XOR label || 0) * 2^16.
    ///
    /// The 96-bit salt of GCM is extended to 112 bits by zeros (RFC 7714 section 11).
    static func derive(_ key: SRTPKey, label: UInt8, count: Int) -> [UInt8] {
        var block = Array(key.masterSalt)
        block.append(contentsOf: repeatElement(0, count: 16 - block.count))
        block[7] ^= label
        let zeros = [UInt8](repeating: 0, count: count)
        var output = zeros
        var written: Int32 = 0
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        let done =
            EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, Array(key.masterKey), block) == 1
            && EVP_EncryptUpdate(context, &output, &written, zeros, Int32(count)) == 1
        precondition(done && written == Int32(count), "libcrypto has no AES-128-CTR")
        return output
    }
}
