package import MediaBase

/// Transport parameters in a peer's description: its half of ICE and DTLS.
package struct PeerDescription: Sendable, Hashable, Codable {
    /// Role in the DTLS handshake (RFC 5763 section 5).
    package enum Setup: String, Sendable, Hashable, Codable {
        case active
        case passive
        case actpass
    }

    /// Maximum number of fingerprints that are kept.
    static let maximumFingerprints = 8

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

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        credentials = try container.decode(ICECredentials.self, forKey: .credentials)
        isLite = try container.decode(Bool.self, forKey: .isLite)
        fingerprints = try container.decode([CertificateFingerprint].self, forKey: .fingerprints)
        cryptos = try container.decode([CryptoAttribute].self, forKey: .cryptos)
        setup = try container.decode(Setup.self, forKey: .setup)
        reducedSizeRTCP = try container.decode(Bool.self, forKey: .reducedSizeRTCP)
        try container.check(
            fingerprints.isEmpty != cryptos.isEmpty, .fingerprints, "there must be either fingerprints or keys")
        try container.check(
            fingerprints.count <= Self.maximumFingerprints, .fingerprints, "there are too many fingerprints")
        try container.check(cryptos.count <= CryptoAttribute.maximumCount, .cryptos, "there are too many keys")
        try container.check(Set(cryptos.map(\.tag)).count == cryptos.count, .cryptos, "two keys have the same tag")
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
