import COpenSSL

/// Back end for all CPUs: OpenSSL's ciphers, one packet at a time. Each `EgressContext` has a keyed context, so that a packet only sets its IV.
extension FanoutProtector {
    /// Returns a context for `suite` with a key but without an IV. Counter mode always uses the encryption direction.
    static func keyedContext(_ suite: SRTPSuite, _ key: [UInt8], encrypts: Bool = true) -> OpaquePointer {
        guard let context = EVP_CIPHER_CTX_new(),
            EVP_CipherInit_ex(
                context, suite.isAEAD ? EVP_aes_128_gcm() : EVP_aes_128_ctr(), nil, key, nil, encrypts ? 1 : 0) == 1
        else { preconditionFailure("libcrypto has no AES-128-CTR or AES-128-GCM") }
        return context
    }

    func protectPortably(_ jobs: UnsafeMutablePointer<ProtectJob>, count: Int) {
        withUnsafeTemporaryAllocation(byteCount: 48, alignment: 16) { scratch in
            let iv = scratch.baseAddress!.assumingMemoryBound(to: UInt8.self)
            let digest = iv + 16
            for job in UnsafeBufferPointer(start: jobs, count: count) {
                let context = job.context
                if context.pointee.suite.isAEAD {
                    context.pointee.salt.writeNonce(ssrc: job.ssrc, index: job.index, to: iv)
                    Self.seal(job, context.pointee.cipher, iv)
                } else {
                    context.pointee.salt.writeCounterBlock(ssrc: job.ssrc, index: job.index, to: iv)
                    Self.encryptAndAuthenticate(job, context.pointee.cipher, iv, digest)
                }
            }
        }
    }

    @inline(__always)
    private static func seal(_ job: ProtectJob, _ cipher: OpaquePointer?, _ iv: UnsafeMutablePointer<UInt8>) {
        let payload = job.destination + Int(job.headerLength)
        let tag = payload + Int(job.payloadLength)
        var done: Int32 = 0
        let worked =
            EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
            && EVP_EncryptUpdate(cipher, nil, &done, job.destination, Int32(job.headerLength)) == 1
            && (job.payloadLength == 0
                || EVP_EncryptUpdate(cipher, payload, &done, job.source, Int32(job.payloadLength)) == 1)
            && EVP_EncryptFinal_ex(cipher, tag, &done) == 1
            && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
        precondition(worked, "libcrypto could not encrypt a packet")
    }

    @inline(__always)
    private static func encryptAndAuthenticate(
        _ job: ProtectJob, _ cipher: OpaquePointer?, _ iv: UnsafeMutablePointer<UInt8>,
        _ digest: UnsafeMutablePointer<UInt8>
    ) {
        let payload = job.destination + Int(job.headerLength)
        let tag = payload + Int(job.payloadLength)
        var done: Int32 = 0
        let worked =
            EVP_EncryptInit_ex(cipher, nil, nil, nil, iv) == 1
            && (job.payloadLength == 0
                || EVP_EncryptUpdate(cipher, payload, &done, job.source, Int32(job.payloadLength)) == 1)
        precondition(worked, "libcrypto could not encrypt a packet")
        // The ROC is appended to the packet for authentication (RFC 3711 section 4.2). It is then overwritten by the tag, which is at least
        // as long.
        let rolloverCounter = UInt32(truncatingIfNeeded: job.index >> 16)
        UnsafeMutableRawPointer(tag).storeBytes(of: rolloverCounter.bigEndian, as: UInt32.self)
        job.context.pointee.hmac.authenticate(
            job.destination, count: Int(job.headerLength) + Int(job.payloadLength) + 4, to: digest)
        tag.update(from: digest, count: Int(job.context.pointee.tagLength))
    }
}
