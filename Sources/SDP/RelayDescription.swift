package import MediaBase

/// Own side of one transport, for answers: the relay's, or that of a client that answers the relay.
package struct RelayDescription: Sendable, Hashable, Codable {
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// Keys of a native transport, instead of fingerprint and setup.
    package var cryptos: [CryptoAttribute]
    /// In answers `active` or `passive`: `Setup.answered` of the offered value. Not used in the relay's offers.
    package var setup: PeerDescription.Setup
    /// Candidates; the default one is first.
    package var candidates: [ICECandidate]
    /// ICE-lite (RFC 8445 section 2.5); false for a client.
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

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        credentials = try container.decode(ICECredentials.self, forKey: .credentials)
        fingerprint = try container.decode(CertificateFingerprint.self, forKey: .fingerprint)
        cryptos = try container.decode([CryptoAttribute].self, forKey: .cryptos)
        setup = try container.decode(PeerDescription.Setup.self, forKey: .setup)
        candidates = try container.decode([ICECandidate].self, forKey: .candidates)
        isLite = try container.decode(Bool.self, forKey: .isLite)
        try container.check(cryptos.count <= CryptoAttribute.maximumCount, .cryptos, "there are too many keys")
        try container.check(
            candidates.count <= ICECandidate.maximumCount, .candidates, "there are too many candidates")
    }

    /// Lines that give the peer the keys, or the certificate for DTLS.
    var keying: [SDPLine] { keying(setup) }

    func keying(_ setup: PeerDescription.Setup) -> [SDPLine] {
        guard cryptos.isEmpty else { return cryptos.map(\.line) }
        return [
            SDPLine(attribute: "fingerprint", fingerprint.description), SDPLine(attribute: "setup", setup.rawValue),
        ]
    }

    /// Protocol of the m-lines that this side makes (RFC 5764 section 8, RFC 5124).
    var proto: String { cryptos.isEmpty ? "UDP/TLS/RTP/SAVPF" : "RTP/SAVPF" }
}
