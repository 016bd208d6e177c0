import CSRTP

/// libsrtp2's process-wide state.
enum SRTPLibrary {
    /// True if `srtp_init` succeeded. It may run once in a process: a second call fails.
    static let isReady = srtp_init() == srtp_err_status_ok

    static func failure(_ status: srtp_err_status_t) -> SRTPFailure {
        switch status {
        case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: .authentication
        case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: .replay
        // The library cannot check SRTCP without the E flag if encryption was agreed on.
        case srtp_err_status_bad_param, srtp_err_status_parse_err, srtp_err_status_cant_check: .malformed
        case srtp_err_status_no_ctx: .unknownStream
        case srtp_err_status_key_expired: .keyExpired
        default: .library
        }
    }
}
