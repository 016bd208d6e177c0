/// Hash of a certificate as written in SDP (RFC 8122 section 5): `sha-256 4A:AD:...`.
package struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "sha-1"
        case sha224 = "sha-224"
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        /// Length of a hash in bytes.
        package var length: Int {
            switch self {
            case .sha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]

    /// Returns nil if `bytes` does not have the algorithm's length.
    package init?(_ algorithm: Algorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Parses the value of `a=fingerprint`. Names and digits may be of either case.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else { return nil }
        let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == algorithm.length else { return nil }
        var bytes: [UInt8] = []
        for pair in pairs {
            guard pair.utf8.count == 2, let high = pair.first?.hexDigitValue, let low = pair.last?.hexDigitValue else {
                return nil
            }
            bytes.append(UInt8(high << 4 | low))
        }
        self.init(algorithm, bytes: bytes)
    }

    package var description: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return algorithm.rawValue + " " + String(decoding: text, as: UTF8.self)
    }
}

// JSON has the text.
extension CertificateFingerprint: Codable {
    package init(from decoder: any Decoder) throws { self = try decoder.decodeText { CertificateFingerprint($0) } }

    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(description) }
}
