package import MediaBase

/// The relay's side of one transport, as its answers say it.
package struct RelayDescription: Sendable, Hashable {
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// `active` or `passive`: `Setup.answered` of what was offered.
    package var setup: PeerDescription.Setup
    /// The one that is to be tried by default is first.
    package var candidates: [ICECandidate]

    package init(
        credentials: ICECredentials, fingerprint: CertificateFingerprint, setup: PeerDescription.Setup,
        candidates: [ICECandidate]
    ) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.setup = setup
        self.candidates = candidates
    }
}
