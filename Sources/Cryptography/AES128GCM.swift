import COpenSSL

/// AES-128-GCM (RFC 5116 section 5.1) over complete messages.
enum AES128GCM {
    static let keyLength = 16
    static let nonceLength = 12
    static let tagLength = 16

    /// Returns the ciphertext with the tag behind it.
    static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], associatedData: [UInt8]
    ) throws(HPKEFailure) -> [UInt8] {
        let context = try begin(key, nonce, associatedData, encrypts: 1)
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: plaintext.count + tagLength)
        var count: Int32 = 0
        let isSealed =
            EVP_CipherUpdate(context, &output, &count, plaintext, Int32(plaintext.count)) == 1
            && output.withUnsafeMutableBufferPointer { bytes in
                let tag = bytes.baseAddress! + plaintext.count
                return EVP_CipherFinal_ex(context, tag, &count) == 1
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), tag) == 1
            }
        guard isSealed else { throw .library }
        return output
    }

    /// Returns the plaintext of a ciphertext with its tag.
    /// - Throws: `authentication` if the tag does not match. OpenSSL compares it in constant time.
    static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associatedData: [UInt8]
    ) throws(HPKEFailure) -> [UInt8] {
        guard sealed.count >= tagLength else { throw .authentication }
        let length = sealed.count - tagLength
        let context = try begin(key, nonce, associatedData, encrypts: 0)
        defer { EVP_CIPHER_CTX_free(context) }
        // The additional byte gives an empty plaintext an address.
        var output = [UInt8](repeating: 0, count: length + 1)
        var tag = Array(sealed[length...])
        var count: Int32 = 0
        guard EVP_CipherUpdate(context, &output, &count, sealed, Int32(length)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1
        else { throw .library }
        var last = [UInt8](repeating: 0, count: tagLength)
        guard EVP_CipherFinal_ex(context, &last, &count) == 1 else { throw .authentication }
        output.removeLast()
        return output
    }

    private static func begin(
        _ key: [UInt8], _ nonce: [UInt8], _ associatedData: [UInt8], encrypts: Int32
    ) throws(HPKEFailure) -> OpaquePointer {
        guard key.count == keyLength, nonce.count == nonceLength else { throw .invalidKey }
        guard let context = EVP_CIPHER_CTX_new() else { throw .library }
        var count: Int32 = 0
        guard EVP_CipherInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce, encrypts) == 1,
            associatedData.isEmpty
                || EVP_CipherUpdate(context, nil, &count, associatedData, Int32(associatedData.count)) == 1
        else {
            EVP_CIPHER_CTX_free(context)
            throw .library
        }
        return context
    }
}
