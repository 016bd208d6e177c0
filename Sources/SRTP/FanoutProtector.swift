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
/// let leg = protector.makeLeg(key: relayKey, peerKey: clientKey)
/// protector.protect(jobs, count: subscribers * packets)
/// protector.freeLeg(leg)
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

    /// Length of an `EgressLeg` in bytes, with the key material that the multi-buffer back end stores behind it; an OpenSSL context is not
    /// included.
    func legSize(_ suite: SRTPSuite) -> Int {
        #if arch(x86_64)
            EgressLeg.materialOffset + (burst == nil ? 0 : MultiBufferBurst.materialSize(of: suite))
        #else
            EgressLeg.materialOffset
        #endif
    }

    /// Frees an `EgressLeg` of this protector and wipes its keys.
    package func freeLeg(_ leg: UnsafeMutablePointer<EgressLeg>) {
        if let cipher = leg.pointee.cipher { EVP_CIPHER_CTX_free(cipher) }
        let size = legSize(leg.pointee.suite)
        leg.deinitialize(count: 1)
        OPENSSL_cleanse(leg, size)
        UnsafeMutableRawPointer(leg).deallocate()
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

    /// Encrypts one RTCP packet in place, under the key and the next SRTCP index of `leg`.
    ///
    /// - Parameters:
    ///   - length: length of the packet in bytes, before and after.
    ///   - capacity: length of the buffer at `packet`; at least `SRTPSuite.rtcpOverhead` more than `length`.
    package func protectRTCP(
        _ leg: UnsafeMutablePointer<EgressLeg>, _ packet: UnsafeMutableRawPointer, length: inout Int, capacity: Int
    ) throws(SRTPFailure) {
        let index = leg.pointee.nextSenderIndex
        guard index < 1 << 31 else { throw .keyExpired }
        try rtcp.protect(packet, length: &length, capacity: capacity, keys: leg.pointee.senderKeys, index: index)
        leg.pointee.nextSenderIndex = index + 1
    }

    /// Verifies and decrypts one RTCP packet from the subscriber, in place. If it throws, the packet must not be used, not even its header.
    package func unprotectRTCP(
        _ leg: UnsafeMutablePointer<EgressLeg>, _ packet: UnsafeMutableRawPointer, length: inout Int
    ) throws(SRTPFailure) {
        guard let keys = leg.pointee.receiverKeys else { throw .unknownStream }
        try rtcp.unprotect(packet, length: &length, keys: keys, windows: &leg.pointee.receiverWindows)
    }
}
