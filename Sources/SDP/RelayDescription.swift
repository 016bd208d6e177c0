package import MediaBase

/// One's own side of one transport, as answers say it: the relay's, or that of a client that answers the relay.
package struct RelayDescription: Sendable, Hashable {
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// In answers `active` or `passive`: `Setup.answered` of what was offered. In offers of the relay's it says nothing.
    package var setup: PeerDescription.Setup
    /// The one that is to be tried by default is first.
    package var candidates: [ICECandidate]
    /// ICE-lite (RFC 8445 section 2.5); a client is not.
    package var isLite: Bool

    package init(
        credentials: ICECredentials, fingerprint: CertificateFingerprint, setup: PeerDescription.Setup,
        candidates: [ICECandidate], isLite: Bool = true
    ) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.setup = setup
        self.candidates = candidates
        self.isLite = isLite
    }
}
