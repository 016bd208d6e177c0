package import DTLS
package import SDP
package import SRTP

/// Keys that both sides exchange in their descriptions (RFC 4568) instead of a DTLS handshake.
package struct SignalledKeys: Sendable, Equatable {
    /// Suites in order of preference.
    package static let suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]

    /// Attributes for the own offer: a key for each suite.
    package let offered: [CryptoAttribute]
    private let keys: [SRTPKey]

    /// Generates a new key for each suite.
    package init(_ suites: [SRTPSuite] = SignalledKeys.suites) {
        keys = suites.map { SRTPKey.random(for: $0) }
        offered = keys.enumerated().map { CryptoAttribute(tag: UInt32($0 + 1), $1) }
    }

    /// Returns the keys agreed by an answer to the offer, or nil if the answer does not select exactly one of the offered attributes (RFC
    /// 4568 section 5.1.2).
    package func agreed(by answer: [CryptoAttribute]) -> DTLSKeys? {
        guard answer.count == 1, let taken = answer.first,
            let index = offered.firstIndex(where: { $0.tag == taken.tag && $0.suite == taken.suite }),
            let theirs = try? SRTPKey(suite: keys[index].suite, inline: taken.key)
        else { return nil }
        return DTLSKeys(suite: keys[index].suite, local: keys[index], remote: theirs)
    }

    /// Selects the first usable key of an offer and generates one in return.
    /// - Returns: the keys and the attribute for the answer; nil if no key is usable.
    package static func take(
        _ offer: [CryptoAttribute], suites: [SRTPSuite] = SignalledKeys.suites
    ) -> (keys: DTLSKeys, answer: CryptoAttribute)? {
        for line in offer {
            guard let suite = SRTPSuite(sdesName: line.suite), suites.contains(suite),
                let theirs = try? SRTPKey(suite: suite, inline: line.key)
            else { continue }
            let mine = SRTPKey.random(for: suite)
            return (DTLSKeys(suite: suite, local: mine, remote: theirs), CryptoAttribute(tag: line.tag, mine))
        }
        return nil
    }
}

extension CryptoAttribute {
    init(tag: UInt32, _ key: SRTPKey) { self.init(tag: tag, suite: key.suite.sdesName, key: key.base64) }
}
