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
    /// Any one of them is to fit the certificate (RFC 8122 section 5.1). Empty where the keys are in the description.
    package var fingerprints: [CertificateFingerprint]
    /// Of a native transport: in offers what may be chosen from, in answers the one that was. Empty where hands are shaken.
    package var cryptos: [CryptoAttribute]
    package var setup: Setup
    /// RTCP without a report in front is allowed (RFC 5506).
    package var reducedSizeRTCP: Bool

    package init(
        credentials: ICECredentials, isLite: Bool = false, fingerprints: [CertificateFingerprint],
        cryptos: [CryptoAttribute] = [], setup: Setup, reducedSizeRTCP: Bool = true
    ) {
        self.credentials = credentials
        self.isLite = isLite
        self.fingerprints = fingerprints
        self.cryptos = cryptos
        self.setup = setup
        self.reducedSizeRTCP = reducedSizeRTCP
    }

    /// Keys come in the description, and no hands are shaken.
    package var isNative: Bool { !cryptos.isEmpty }

    /// Whether an answer takes one of the lines that were offered, and no more than that.
    func takesOne(of offered: [CryptoAttribute]) -> Bool {
        cryptos.count == 1 && offered.contains { cryptos[0].answers($0) }
    }

    /// Whether both are of one transport: other certificates or keys are another one's.
    package func isSameTransport(as other: PeerDescription) -> Bool {
        Set(fingerprints) == Set(other.fingerprints) && cryptos == other.cryptos
    }
}
