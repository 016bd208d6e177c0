package import SRTP

/// Keys of one transport, both ways: what a DTLS handshake with use_srtp yields (RFC 5764 section 4.2), or what both sides told each other.
package struct DTLSKeys: Sendable, Equatable {
    package let suite: SRTPSuite
    /// What this side protects with.
    package let local: SRTPKey
    /// What the peer protects with.
    package let remote: SRTPKey

    package init(suite: SRTPSuite, local: SRTPKey, remote: SRTPKey) {
        self.suite = suite
        self.local = local
        self.remote = remote
    }
}
