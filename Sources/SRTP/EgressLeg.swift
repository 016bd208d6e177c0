import COpenSSL

/// One subscriber's keys: what `FanoutProtector` needs to protect RTP to them, and SRTCP in both directions.
///
/// Made and freed by the protector, which also decides what key material lies behind the struct; addressed by pointer so that
/// the packet path retains nothing. The SSRC is no part of it: one leg serves all streams sent under one master key.
package struct EgressLeg {
    package let suite: SRTPSuite
    let tagLength: UInt32
    let salt: SessionSalt
    /// Counter mode only.
    let hmac: HMACSHA1
    /// A keyed OpenSSL context, with the portable back-end.
    let cipher: OpaquePointer?
    let senderKeys: SRTCPKeys
    /// Index of the next SRTCP packet, 31 bits (RFC 3711 section 3.4).
    var nextSenderIndex: UInt32 = 1
    /// The peer's keys, for the RTCP that comes back.
    let receiverKeys: SRTCPKeys?
    var receiverWindows = SRTCPReplayWindows()

    /// Where key material of the multi-buffer back-end begins: behind the struct, on a cache line of its own.
    static var materialOffset: Int { (MemoryLayout<EgressLeg>.size + 63) & ~63 }
}
