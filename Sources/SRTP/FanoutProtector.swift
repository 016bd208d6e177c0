import COpenSSL

#if arch(x86_64)
    import CIPSecMB
#endif

/// Protects the packets of many subscribers in batches, each under the subscriber's own key; one a worker, confined to its
/// thread.
///
/// Allocates and retains nothing a packet. Callers order jobs packet-major (one packet for all its subscribers, then the
/// next): the lanes of multi-buffer hashing are full where neighbours are equal in length.
///
/// ```swift
/// let protector = FanoutProtector(.automatic)
/// let leg = protector.makeLeg(key: relayKey, peerKey: clientKey)
/// protector.protect(jobs, count: subscribers * packets)
/// protector.freeLeg(leg)
/// ```
package struct FanoutProtector: ~Copyable {
    package enum Backend: String, Sendable, CaseIterable {
        /// The fastest that this machine has.
        case automatic
        /// libipsec-mb, x86-64 only; falls back to `.evp` elsewhere.
        case multiBuffer
        /// OpenSSL, one keyed context a leg.
        case evp
    }

    /// What is in use: never `.automatic`.
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

    /// - Parameters:
    ///   - key: what the relay protects with.
    ///   - peerKey: what the subscriber protects its RTCP with; without it `unprotectRTCP` throws `.unknownStream`.
    package func makeLeg(key: SRTPKey, peerKey: SRTPKey? = nil) -> UnsafeMutablePointer<EgressLeg> {
        makeLeg(
            key.suite, rtp: SessionKeys(key, .rtp), sender: SRTCPKeys(key), receiver: peerKey.map(SRTCPKeys.init))
    }

    func makeLeg(
        _ suite: SRTPSuite, rtp keys: SessionKeys, sender: SRTCPKeys, receiver: SRTCPKeys?
    ) -> UnsafeMutablePointer<EgressLeg> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: legSize(suite), alignment: 64)
        let leg = memory.bindMemory(to: EgressLeg.self, capacity: 1)
        leg.initialize(
            to: EgressLeg(
                suite: suite, tagLength: UInt32(suite.tagLength), salt: SessionSalt(keys.salt),
                hmac: HMACSHA1(key: keys.authenticationKey),
                cipher: backend == .evp ? Self.keyedContext(suite, keys.cipherKey) : nil, senderKeys: sender,
                receiverKeys: receiver))
        #if arch(x86_64)
            burst?.prepare(leg, cipherKey: keys.cipherKey)
        #endif
        return leg
    }

    /// Bytes of a leg with what the multi-buffer back-end keeps behind it; an OpenSSL context is not counted.
    func legSize(_ suite: SRTPSuite) -> Int {
        #if arch(x86_64)
            EgressLeg.materialOffset + (burst == nil ? 0 : MultiBufferBurst.materialSize(of: suite))
        #else
            EgressLeg.materialOffset
        #endif
    }

    /// Frees a leg of this protector, and wipes its keys.
    package func freeLeg(_ leg: UnsafeMutablePointer<EgressLeg>) {
        if let cipher = leg.pointee.cipher { EVP_CIPHER_CTX_free(cipher) }
        let size = legSize(leg.pointee.suite)
        leg.deinitialize(count: 1)
        OPENSSL_cleanse(leg, size)
        UnsafeMutableRawPointer(leg).deallocate()
    }

    /// Makes `count` finished SRTP packets. Suites and lengths may be mixed.
    package func protect(_ jobs: UnsafeMutablePointer<ProtectJob>, count: Int) {
        #if arch(x86_64)
            if let burst {
                burst.protect(jobs, count: count)
                return
            }
        #endif
        protectPortably(jobs, count: count)
    }

    /// Protects one RTCP packet under the leg's key and next SRTCP index, in place.
    ///
    /// - Parameters:
    ///   - length: bytes of the packet before and after.
    ///   - capacity: bytes of the buffer at `packet`; `SRTPSuite.rtcpOverhead` more than `length` are needed.
    package func protectRTCP(
        _ leg: UnsafeMutablePointer<EgressLeg>, _ packet: UnsafeMutableRawPointer, length: inout Int, capacity: Int
    ) throws(SRTPFailure) {
        let index = leg.pointee.nextSenderIndex
        guard index < 1 << 31 else { throw .keyExpired }
        try rtcp.protect(packet, length: &length, capacity: capacity, keys: leg.pointee.senderKeys, index: index)
        leg.pointee.nextSenderIndex = index + 1
    }

    /// Verifies and decrypts one RTCP packet from the leg's peer, in place. What fails is not to be used, not even its header.
    package func unprotectRTCP(
        _ leg: UnsafeMutablePointer<EgressLeg>, _ packet: UnsafeMutableRawPointer, length: inout Int
    ) throws(SRTPFailure) {
        guard let keys = leg.pointee.receiverKeys else { throw .unknownStream }
        try rtcp.unprotect(packet, length: &length, keys: keys, windows: &leg.pointee.receiverWindows)
    }
}
