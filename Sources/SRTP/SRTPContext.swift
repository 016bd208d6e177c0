import CSRTP

/// SRTP and SRTCP in one direction by libsrtp2, for any number of SSRCs under one master key; confined to one thread.
///
/// Used by clients and load generators, and as the reference in tests. The relay's packets use `IngressContext` and `FanoutProtector`,
/// because Debian's libsrtp2 allocates memory for each packet.
package final class SRTPContext {
    package enum Direction: Sendable {
        case inbound
        case outbound
    }

    package let suite: SRTPSuite
    package let direction: Direction
    private let session: srtp_t

    /// Number of packets by which an accepted packet may be late (RFC 3711 section 3.3.2).
    package static let replayWindow = 1024

    package init(key: SRTPKey, direction: Direction) throws(SRTPFailure) {
        guard SRTPLibrary.isReady else { throw .library }
        suite = key.suite
        self.direction = direction
        var ssrc = srtp_ssrc_t()
        ssrc.type = direction == .inbound ? ssrc_any_inbound : ssrc_any_outbound
        var session: srtp_t?
        let status = Self.withPolicy(key, ssrc) { srtp_create(&session, $0) }
        guard status == srtp_err_status_ok, let session else { throw SRTPLibrary.failure(status) }
        self.session = session
    }

    deinit { srtp_dealloc(session) }

    private static func withPolicy(
        _ key: SRTPKey, _ ssrc: srtp_ssrc_t, _ body: (UnsafePointer<srtp_policy_t>) -> srtp_err_status_t
    ) -> srtp_err_status_t {
        var policy = srtp_policy_t()
        policy.ssrc = ssrc
        switch key.suite {
        case .aesCM128HMACSHA1_80: srtp_crypto_policy_set_rtp_default(&policy.rtp)
        case .aesCM128HMACSHA1_32: srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp)
        case .aeadAES128GCM: srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
        }
        if key.suite.isAEAD {
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
        } else {
            srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        }
        policy.window_size = UInt(replayWindow)
        policy.allow_repeat_tx = 1
        var bytes = key.bytes
        return bytes.withUnsafeMutableBufferPointer {
            policy.key = $0.baseAddress
            return body(&policy)
        }
    }

    /// Sets the initial rollover counter of `ssrc`, as signalled out of band (RFC 3711 section 3.3.1).
    package func addStream(ssrc: UInt32, rolloverCounter: UInt32, key: SRTPKey) throws(SRTPFailure) {
        var specific = srtp_ssrc_t()
        specific.type = ssrc_specific
        specific.value = ssrc
        var status = Self.withPolicy(key, specific) { srtp_add_stream(session, $0) }
        guard status == srtp_err_status_ok else { throw SRTPLibrary.failure(status) }
        status = srtp_set_stream_roc(session, ssrc, rolloverCounter)
        guard status == srtp_err_status_ok else { throw SRTPLibrary.failure(status) }
    }

    /// Encrypts an RTP packet in place.
    ///
    /// - Parameters:
    ///   - length: length of the packet in bytes, before and after.
    ///   - capacity: length of the buffer at `packet`; at least `suite.tagLength` more than `length`.
    package func protect(_ packet: UnsafeMutableRawPointer, length: inout Int, capacity: Int) throws(SRTPFailure) {
        guard length >= 12 else { throw .malformed }
        guard capacity - suite.tagLength >= length else { throw .capacity }
        try run(packet, &length, srtp_protect)
    }

    /// Encrypts an RTCP packet in place; `capacity` must be at least `suite.rtcpOverhead` more than `length`.
    package func protectRTCP(_ packet: UnsafeMutableRawPointer, length: inout Int, capacity: Int) throws(SRTPFailure) {
        guard length >= 8 else { throw .malformed }
        guard capacity - suite.rtcpOverhead >= length else { throw .capacity }
        try run(packet, &length, srtp_protect_rtcp)
    }

    /// Verifies and decrypts an RTP packet in place. If it throws, the packet must not be used, not even its header.
    package func unprotect(_ packet: UnsafeMutableRawPointer, length: inout Int) throws(SRTPFailure) {
        guard length >= 12 + suite.tagLength else { throw .malformed }
        try run(packet, &length, srtp_unprotect)
    }

    /// Verifies and decrypts an RTCP packet in place. If it throws, the packet must not be used, not even its header.
    package func unprotectRTCP(_ packet: UnsafeMutableRawPointer, length: inout Int) throws(SRTPFailure) {
        guard length >= 8 + suite.rtcpOverhead else { throw .malformed }
        try run(packet, &length, srtp_unprotect_rtcp)
    }

    @inline(__always)
    private func run(
        _ packet: UnsafeMutableRawPointer, _ length: inout Int,
        _ operation: (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t
    ) throws(SRTPFailure) {
        var bytes = Int32(truncatingIfNeeded: length)
        let status = operation(session, packet, &bytes)
        guard status == srtp_err_status_ok else { throw SRTPLibrary.failure(status) }
        length = Int(bytes)
    }
}
