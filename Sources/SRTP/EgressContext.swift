import COpenSSL

/// Keys of one subscriber: `FanoutProtector` uses them to encrypt RTP, and SRTCP in both directions.
///
/// Created and freed by the protector, which also decides which key material follows the struct in memory. Addressed by pointer, so that
/// the packet path does no reference counting. The SSRC is not included: one instance serves all streams sent under one master key.
package struct EgressContext {
    package let suite: SRTPSuite
    let tagLength: UInt32
    let salt: SessionSalt
    /// Used by counter mode only.
    let hmac: HMACSHA1
    /// Keyed OpenSSL context of the portable back end; else nil.
    let cipher: OpaquePointer?
    let senderKeys: SRTCPKeys
    /// Index of the next SRTCP packet, 31 bits (RFC 3711 section 3.4).
    var nextSenderIndex: UInt32 = 1
    /// Keys of the peer, for received RTCP.
    let receiverKeys: SRTCPKeys?
    var receiverWindows = SRTCPReplayWindows()

    /// Offset of the multi-buffer back end's key material: behind the struct, on a separate cache line.
    static var materialOffset: Int { (MemoryLayout<EgressContext>.size + 63) & ~63 }
}
