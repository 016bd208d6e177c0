package import MediaBase

/// One's own side of one transport, as answers say it: the relay's, or that of a client that answers the relay.
package struct RelayDescription: Sendable, Hashable {
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// Of a native transport, instead of fingerprint and setup.
    package var cryptos: [CryptoAttribute]
    /// In answers `active` or `passive`: `Setup.answered` of what was offered. In offers of the relay's it says nothing.
    package var setup: PeerDescription.Setup
    /// The one that is to be tried by default is first.
    package var candidates: [ICECandidate]
    /// ICE-lite (RFC 8445 section 2.5); a client is not.
    package var isLite: Bool

    package init(
        credentials: ICECredentials, fingerprint: CertificateFingerprint, cryptos: [CryptoAttribute] = [],
        setup: PeerDescription.Setup, candidates: [ICECandidate], isLite: Bool = true
    ) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.cryptos = cryptos
        self.setup = setup
        self.candidates = candidates
        self.isLite = isLite
    }

    /// How the peer gets the keys: by shaking hands, or from here.
    var keying: [SDPLine] { keying(setup) }

    func keying(_ setup: PeerDescription.Setup) -> [SDPLine] {
        guard cryptos.isEmpty else { return cryptos.map(\.line) }
        return [
            SDPLine(attribute: "fingerprint", fingerprint.description), SDPLine(attribute: "setup", setup.rawValue),
        ]
    }

    /// Of m-lines that we make (RFC 5764 section 8, RFC 5124).
    var proto: String { cryptos.isEmpty ? "UDP/TLS/RTP/SAVPF" : "RTP/SAVPF" }
}
