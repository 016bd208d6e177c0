package import MediaBase

/// What a peer's description says of its transport: the half of ICE and DTLS that the other side needs.
package struct PeerDescription: Sendable, Hashable {
    /// Who begins the DTLS handshake (RFC 5763 section 5).
    package enum Setup: String, Sendable, Hashable {
        case active
        case passive
        case actpass
    }

    package var credentials: ICECredentials
    /// The peer is ICE-lite itself (RFC 8445 section 2.5), which the relay cannot connect to.
    package var isLite: Bool
    /// Any one of them is to fit the certificate (RFC 8122 section 5.1).
    package var fingerprints: [CertificateFingerprint]
    package var setup: Setup
    /// RTCP without a report in front is allowed (RFC 5506).
    package var reducedSizeRTCP: Bool

    package init(
        credentials: ICECredentials, isLite: Bool = false, fingerprints: [CertificateFingerprint], setup: Setup,
        reducedSizeRTCP: Bool = true
    ) {
        self.credentials = credentials
        self.isLite = isLite
        self.fingerprints = fingerprints
        self.setup = setup
        self.reducedSizeRTCP = reducedSizeRTCP
    }
}
