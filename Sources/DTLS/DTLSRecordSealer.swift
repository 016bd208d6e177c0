import COpenSSL

/// Decrypts and re-encrypts the records that one side writes, under AES-GCM (RFC 5288) with that side's write key.
///
/// ```
///   body  | explicit nonce 8 | encrypted ... | tag 16 |
/// ```
///
/// A retransmitted record needs a new sequence number (RFC 6347 section 4.2.4), or the peer's replay check discards it. OpenSSL assigns one
/// only when its own timer fires, which reads the wall clock. Therefore OpenSSL's record is decrypted and, each time it is sent, encrypted
/// under the next sequence number. No number is used twice, because records encrypted by OpenSSL never leave the process.
final class DTLSRecordSealer {
    private let context: OpaquePointer
    private let cipher: OpaquePointer
    private let key: [UInt8]
    /// Implicit part of the nonce: four bytes that are not sent.
    private let salt: [UInt8]

    private static let explicitNonceLength = 8
    private static let saltLength = 4
    private static let tagLength = 16
    /// Number of bytes that encryption adds to a body.
    static let overhead = explicitNonceLength + tagLength

    /// Derives the write key of `role` (RFC 5246 section 6.3). OpenSSL must have the master secret already.
    init?(_ ssl: OpaquePointer, role: DTLSConnection.Role) {
        guard let suite = SSL_get_current_cipher(ssl), let hash = SSL_CIPHER_get_handshake_digest(suite),
            let session = SSL_get_session(ssl), let context = EVP_CIPHER_CTX_new()
        else { return nil }
        self.context = context
        let isLong = SSL_CIPHER_get_cipher_nid(suite) == NID_aes_256_gcm
        cipher = isLong ? EVP_aes_256_gcm() : EVP_aes_128_gcm()
        let keyLength = isLong ? 32 : 16
        var master = [UInt8](repeating: 0, count: Int(SSL_MAX_MASTER_KEY_LENGTH))
        master.removeLast(master.count - SSL_SESSION_get_master_key(session, &master, master.count))
        var seed = Array("key expansion".utf8)
        seed += Self.random { SSL_get_server_random(ssl, $0, $1) }
        seed += Self.random { SSL_get_client_random(ssl, $0, $1) }
        // Client's key, server's key, client's salt, server's salt.
        guard let block = Self.expand(master, seed: seed, hash: hash, count: 2 * (keyLength + Self.saltLength)) else {
            key = []
            salt = []
            return nil
        }
        let side = role == .client ? 0 : 1
        key = Array(block[(side * keyLength)...].prefix(keyLength))
        salt = Array(block[(2 * keyLength + side * Self.saltLength)...].prefix(Self.saltLength))
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Returns the record with a decrypted body, or nil if it was not written by this side.
    func open(_ record: DTLSRecord) -> DTLSRecord? {
        let length = record.body.count - Self.explicitNonceLength - Self.tagLength
        guard length >= 0 else { return nil }
        var opened = record
        opened.body = []
        let nonce = salt + record.body.prefix(Self.explicitNonceLength)
        let associated = Self.associatedData(of: record, length: length)
        var plain = [UInt8](repeating: 0, count: length + 1)
        var tag = Array(record.body.suffix(Self.tagLength))
        let encrypted = Array(record.body.dropFirst(Self.explicitNonceLength).prefix(length))
        var done: Int32 = 0
        guard EVP_DecryptInit_ex(context, cipher, nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &done, associated, Int32(associated.count)) == 1,
            EVP_DecryptUpdate(context, &plain, &done, encrypted, Int32(length)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(context, &tag, &done) == 1
        else { return nil }
        opened.body = Array(plain.prefix(length))
        return opened
    }

    /// Returns the record with its body encrypted under its epoch and sequence number.
    func seal(_ record: DTLSRecord) -> DTLSRecord? {
        let nonce = salt + record.counter
        let associated = Self.associatedData(of: record, length: record.body.count)
        var encrypted = [UInt8](repeating: 0, count: record.body.count + Self.tagLength)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var done: Int32 = 0
        guard EVP_EncryptInit_ex(context, cipher, nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &done, associated, Int32(associated.count)) == 1,
            EVP_EncryptUpdate(context, &encrypted, &done, record.body, Int32(record.body.count)) == 1,
            EVP_EncryptFinal_ex(context, &tag, &done) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), &tag) == 1
        else { return nil }
        var sealed = record
        sealed.body = record.counter + encrypted.prefix(record.body.count) + tag
        return sealed
    }

    private static func associatedData(of record: DTLSRecord, length: Int) -> [UInt8] {
        record.counter + [record.kind.rawValue] + DTLSRecord.bigEndian(UInt64(record.version), count: 2)
            + DTLSRecord.bigEndian(UInt64(length), count: 2)
    }

    private static func random(_ read: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(SSL3_RANDOM_SIZE))
        let count = read(&bytes, bytes.count)
        return Array(bytes.prefix(count))
    }

    /// Returns `count` bytes of the TLS 1.2 PRF (RFC 5246 section 5).
    private static func expand(_ secret: [UInt8], seed: [UInt8], hash: OpaquePointer, count: Int) -> [UInt8]? {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_TLS1_PRF, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var block = [UInt8](repeating: 0, count: count)
        var length = count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_CTX_set_tls1_prf_md(context, hash) == 1,
            EVP_PKEY_CTX_set1_tls1_prf_secret(context, secret, Int32(secret.count)) == 1,
            EVP_PKEY_CTX_add1_tls1_prf_seed(context, seed, Int32(seed.count)) == 1,
            EVP_PKEY_derive(context, &block, &length) == 1, length == count
        else { return nil }
        return block
    }
}
