import COpenSSL

#if arch(x86_64)
    import CIPSecMB
#endif

/// Encrypts the packets of many subscribers in batches, each with the subscriber's own key. Each worker has one, confined to its thread.
///
/// Neither allocates nor retains per packet. Callers order jobs packet by packet (one packet for all its subscribers, then the next one):
/// multi-buffer hashing fills its lanes only if adjacent jobs have equal lengths.
///
/// ```swift
/// let protector = FanoutProtector(.automatic)
/// let context = protector.makeContext(key: relayKey, peerKey: clientKey)
/// protector.protect(jobs, count: subscribers * packets)
/// protector.freeContext(context)
/// ```
package struct FanoutProtector: ~Copyable {
    package enum Backend: String, Sendable, CaseIterable {
        /// The fastest one available on this machine.
        case automatic
        /// libipsec-mb, x86-64 only; falls back to `.evp` elsewhere.
        case multiBuffer
        /// OpenSSL, with one keyed context per subscriber.
        case evp
    }

    /// Back end in use; never `.automatic`.
    package let backend: Backend
    let rtcp = SRTCPCipher()
    #if arch(x86_64)
        let burst: MultiBufferBurst?
    #endif

    package init(_ wanted: Backend = .automatic) {
        #if arch(x86_64)
            burst = wanted == .evp ? nil : MultiBufferBurst()
            backend = burst == nil ? .evp : .multiBuffer
        #else
            backend = .evp
        #endif
    }

    deinit {
        #if arch(x86_64)
            burst?.deallocate()
        #endif
    }

    /// Creates the keys of one subscriber.
    /// - Parameters:
    ///   - key: key that protects the relay's packets.
    ///   - peerKey: key that protects the subscriber's RTCP; if nil, `unprotectRTCP` throws `.unknownStream`.
    package func makeContext(key: SRTPKey, peerKey: SRTPKey? = nil) -> UnsafeMutablePointer<EgressContext> {
        makeContext(
            key.suite, rtp: SessionKeys(key, .rtp), sender: SRTCPKeys(key), receiver: peerKey.map(SRTCPKeys.init))
    }

    func makeContext(
        _ suite: SRTPSuite, rtp keys: SessionKeys, sender: SRTCPKeys, receiver: SRTCPKeys?
    ) -> UnsafeMutablePointer<EgressContext> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: contextSize(suite), alignment: 64)
        let context = memory.bindMemory(to: EgressContext.self, capacity: 1)
        context.initialize(
            to: EgressContext(
                suite: suite, tagLength: UInt32(suite.tagLength), salt: SessionSalt(keys.salt),
                hmac: HMACSHA1(key: keys.authenticationKey),
                cipher: backend == .evp ? Self.keyedContext(suite, keys.cipherKey) : nil, senderKeys: sender,
                receiverKeys: receiver))
        #if arch(x86_64)
            burst?.prepare(context, cipherKey: keys.cipherKey)
        #endif
        return context
    }

    /// Length of an `EgressContext` in bytes, with the key material that the multi-buffer back end stores behind it; an OpenSSL context is not
    /// included.
    func contextSize(_ suite: SRTPSuite) -> Int {
        #if arch(x86_64)
            EgressContext.materialOffset + (burst == nil ? 0 : MultiBufferBurst.materialSize(of: suite))
        #else
            EgressContext.materialOffset
        #endif
    }

    /// Frees an `EgressContext` of this protector and wipes its keys.
    package func freeContext(_ context: UnsafeMutablePointer<EgressContext>) {
        if let cipher = context.pointee.cipher { EVP_CIPHER_CTX_free(cipher) }
        let size = contextSize(context.pointee.suite)
        context.deinitialize(count: 1)
        OPENSSL_cleanse(context, size)
        UnsafeMutableRawPointer(context).deallocate()
    }

    /// Completes `count` SRTP packets. Suites and lengths may be mixed.
    package func protect(_ jobs: UnsafeMutablePointer<ProtectJob>, count: Int) {
        #if arch(x86_64)
            if let burst {
                burst.protect(jobs, count: count)
                return
            }
        #endif
        protectPortably(jobs, count: count)
    }

    /// Encrypts one RTCP packet in place, under the key and the next SRTCP index of `context`.
    ///
    /// - Parameters:
    ///   - length: length of the packet in bytes, before and after.
    ///   - capacity: length of the buffer at `packet`; at least `SRTPSuite.rtcpOverhead` more than `length`.
    package func protectRTCP(
        _ context: UnsafeMutablePointer<EgressContext>, _ packet: UnsafeMutableRawPointer, length: inout Int,
        capacity: Int
    ) throws(SRTPFailure) {
        let index = context.pointee.nextSenderIndex
        guard index < 1 << 31 else { throw .keyExpired }
        try rtcp.protect(packet, length: &length, capacity: capacity, keys: context.pointee.senderKeys, index: index)
        context.pointee.nextSenderIndex = index + 1
    }

    /// Verifies and decrypts one RTCP packet from the subscriber, in place. If it throws, the packet must not be used, not even its header.
    package func unprotectRTCP(
        _ context: UnsafeMutablePointer<EgressContext>, _ packet: UnsafeMutableRawPointer, length: inout Int
    ) throws(SRTPFailure) {
        guard let keys = context.pointee.receiverKeys else { throw .unknownStream }
        try rtcp.unprotect(packet, length: &length, keys: keys, windows: &context.pointee.receiverWindows)
    }
}
