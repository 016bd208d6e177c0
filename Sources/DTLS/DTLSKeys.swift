package import SRTP

/// Keys of one transport in both directions: the result of a DTLS handshake with use_srtp (RFC 5764 section 4.2), or of an exchange by
/// signalling.
package struct DTLSKeys: Sendable, Equatable {
    package let suite: SRTPSuite
    /// Key that protects packets sent by this side.
    package let local: SRTPKey
    /// Key that protects packets sent by the peer.
    package let remote: SRTPKey

    package init(suite: SRTPSuite, local: SRTPKey, remote: SRTPKey) {
        self.suite = suite
        self.local = local
        self.remote = remote
    }
}
