package import MediaBase

/// Transport parameters in a peer's description: its half of ICE and DTLS.
package struct PeerDescription: Sendable, Hashable {
    /// Role in the DTLS handshake (RFC 5763 section 5).
    package enum Setup: String, Sendable, Hashable {
        case active
        case passive
        case actpass
    }

    package var credentials: ICECredentials
    /// True if the peer is ICE-lite itself (RFC 8445 section 2.5); the relay cannot connect to it.
    package var isLite: Bool
    /// At least one of them must match the certificate (RFC 8122 section 5.1). Empty if the description carries keys.
    package var fingerprints: [CertificateFingerprint]
    /// Keys of a native transport: in offers the choices, in answers the chosen one. Empty with DTLS.
    package var cryptos: [CryptoAttribute]
    package var setup: Setup
    /// True if RTCP without a leading report is allowed (RFC 5506).
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

    /// True if the description carries the keys, so that there is no DTLS handshake.
    package var isNative: Bool { !cryptos.isEmpty }

    /// Returns whether an answer accepts exactly one of the offered lines.
    func takesOne(of offered: [CryptoAttribute]) -> Bool {
        cryptos.count == 1 && offered.contains { cryptos[0].answers($0) }
    }

    /// Returns whether both describe the same transport: different certificates or keys mean different transports.
    package func isSameTransport(as other: PeerDescription) -> Bool {
        Set(fingerprints) == Set(other.fingerprints) && cryptos == other.cryptos
    }
}
