import COpenSSL

/// Encrypts and decrypts RTCP packets under any number of keys with one pair of OpenSSL contexts; confined to one thread.
///
/// ```
///   counter mode  | header 8 | encrypted ............ | E + index 4 | tag 10 |     RFC 3711 section 3.4
///   GCM           | header 8 | encrypted .... | tag 16 | E + index 4 |             RFC 7714 section 9.2
/// ```
struct SRTCPCipher: ~Copyable {
    private let counterMode: OpaquePointer
    private let gcm: OpaquePointer

    /// Length in bytes of the RTCP header and sender SSRC, which are not encrypted.
    private static let headerLength = 8
    private static let encrypted: UInt32 = 0x8000_0000

    init() {
        guard let counterMode = EVP_CIPHER_CTX_new(), let gcm = EVP_CIPHER_CTX_new(),
            EVP_EncryptInit_ex(counterMode, EVP_aes_128_ctr(), nil, nil, nil) == 1,
            EVP_EncryptInit_ex(gcm, EVP_aes_128_gcm(), nil, nil, nil) == 1
        else { preconditionFailure("libcrypto has no AES-128-CTR or AES-128-GCM") }
        self.counterMode = counterMode
        self.gcm = gcm
    }

    deinit {
        EVP_CIPHER_CTX_free(counterMode)
        EVP_CIPHER_CTX_free(gcm)
    }

    /// Encrypts an RTCP packet in place.
    /// - Parameters:
    ///   - length: length of the packet in bytes, before and after.
    ///   - capacity: length of the buffer at `packet` in bytes.
    func protect(
        _ packet: UnsafeMutableRawPointer, length: inout Int, capacity: Int, keys: SRTCPKeys, index: UInt32
    ) throws(SRTPFailure) {
        guard length >= Self.headerLength else { throw .malformed }
        let overhead = keys.suite.rtcpOverhead
        guard capacity - overhead >= length else { throw .capacity }
        let bytes = packet.assumingMemoryBound(to: UInt8.self)
        let body = bytes + Self.headerLength
        let bodyLength = Int32(length - Self.headerLength)
        let trailer = (Self.encrypted | index).bigEndian
        let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        var block = (UInt64(0), UInt64(0))
        var done: Int32 = 0
        let worked = withUnsafeMutableBytes(of: &block) { block in
            let iv = block.baseAddress!.assumingMemoryBound(to: UInt8.self)
            if keys.suite.isAEAD {
                keys.salt.writeNonce(ssrc: ssrc, index: UInt64(index), to: iv)
                packet.storeBytes(of: trailer, toByteOffset: length + 16, as: UInt32.self)
                return keys.withCipherKey { EVP_CipherInit_ex(gcm, nil, nil, $0, iv, 1) } == 1
                    && EVP_CipherUpdate(gcm, nil, &done, bytes, Int32(Self.headerLength)) == 1
                    && EVP_CipherUpdate(gcm, nil, &done, bytes + length + 16, 4) == 1
                    && (bodyLength == 0 || EVP_CipherUpdate(gcm, body, &done, body, bodyLength) == 1)
                    && EVP_CipherFinal_ex(gcm, bytes + length, &done) == 1
                    && EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_GET_TAG, 16, bytes + length) == 1
            }
            keys.salt.writeCounterBlock(ssrc: ssrc, index: UInt64(index), to: iv)
            return keys.withCipherKey { EVP_EncryptInit_ex(counterMode, nil, nil, $0, iv) } == 1
                && (bodyLength == 0 || EVP_EncryptUpdate(counterMode, body, &done, body, bodyLength) == 1)
        }
        guard worked else { throw .library }
        if !keys.suite.isAEAD {
            packet.storeBytes(of: trailer, toByteOffset: length, as: UInt32.self)
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digest in
                keys.hmac.authenticate(packet, count: length + 4, to: digest.baseAddress!)
                (packet + length + 4).copyMemory(from: digest.baseAddress!, byteCount: keys.suite.rtcpTagLength)
            }
        }
        length += overhead
    }

    /// Verifies and decrypts an RTCP packet in place. Throws if its index is a replay by `windows` or if its tag is wrong; `length` and
    /// `windows` are then unchanged.
    ///
    /// After a failure, the content of a GCM packet has been overwritten, because OpenSSL decrypts before it checks the tag.
    func unprotect(
        _ packet: UnsafeMutableRawPointer, length: inout Int, keys: SRTCPKeys,
        windows: inout SRTCPReplayWindows
    ) throws(SRTPFailure) {
        let suite = keys.suite
        let plainLength = length - suite.rtcpOverhead
        guard plainLength >= Self.headerLength else { throw .malformed }
        let trailerOffset = suite.isAEAD ? length - 4 : plainLength
        let trailer = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: trailerOffset, as: UInt32.self))
        let isEncrypted = trailer & Self.encrypted != 0
        let index = trailer & ~Self.encrypted
        let ssrc = UInt32(bigEndian: packet.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let slot = try windows.check(ssrc: ssrc, index: index)

        if !suite.isAEAD {
            let authentic = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digest in
                keys.hmac.authenticate(packet, count: plainLength + 4, to: digest.baseAddress!)
                return tagsEqual(digest.baseAddress!, packet + plainLength + 4, count: suite.rtcpTagLength)
            }
            guard authentic else { throw .authentication }
        }
        if suite.isAEAD || isEncrypted {
            let failure = decrypt(
                packet, plainLength: plainLength, trailerOffset: trailerOffset, isEncrypted: isEncrypted, keys: keys,
                ssrc: ssrc, index: index)
            if let failure { throw failure }
        }
        windows.note(ssrc: ssrc, index: index, at: slot)
        length = plainLength
    }

    private func decrypt(
        _ packet: UnsafeMutableRawPointer, plainLength: Int, trailerOffset: Int, isEncrypted: Bool, keys: SRTCPKeys,
        ssrc: UInt32, index: UInt32
    ) -> SRTPFailure? {
        let bytes = packet.assumingMemoryBound(to: UInt8.self)
        let body = bytes + Self.headerLength
        let bodyLength = Int32(plainLength - Self.headerLength)
        var block = (UInt64(0), UInt64(0))
        var done: Int32 = 0
        return withUnsafeMutableBytes(of: &block) { block in
            let iv = block.baseAddress!.assumingMemoryBound(to: UInt8.self)
            guard keys.suite.isAEAD else {
                keys.salt.writeCounterBlock(ssrc: ssrc, index: UInt64(index), to: iv)
                let decrypted =
                    keys.withCipherKey { EVP_EncryptInit_ex(counterMode, nil, nil, $0, iv) } == 1
                    && (bodyLength == 0 || EVP_EncryptUpdate(counterMode, body, &done, body, bodyLength) == 1)
                return decrypted ? nil : .library
            }
            keys.salt.writeNonce(ssrc: ssrc, index: UInt64(index), to: iv)
            // Without the E flag nothing is encrypted and the whole packet is associated data (RFC 7714 section 9.3).
            let clear = isEncrypted ? Self.headerLength : plainLength
            let ready =
                keys.withCipherKey { EVP_CipherInit_ex(gcm, nil, nil, $0, iv, 0) } == 1
                && EVP_CIPHER_CTX_ctrl(gcm, EVP_CTRL_AEAD_SET_TAG, 16, bytes + plainLength) == 1
                && EVP_CipherUpdate(gcm, nil, &done, bytes, Int32(clear)) == 1
                && EVP_CipherUpdate(gcm, nil, &done, bytes + trailerOffset, 4) == 1
                && (plainLength == clear || EVP_CipherUpdate(gcm, body, &done, body, bodyLength) == 1)
            guard ready else { return .library }
            return EVP_CipherFinal_ex(gcm, body, &done) == 1 ? nil : .authentication
        }
    }
}
