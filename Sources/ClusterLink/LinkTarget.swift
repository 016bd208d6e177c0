import Cluster

/// Address of a relay for links, and the certificate that it must have.
struct LinkTarget: Hashable, Sendable {
    let address: LinkAddress
    /// SHA-256 of the certificate.
    let fingerprint: [UInt8]

    /// Parses the row of a relay.
    /// - Throws: `connect` if it has no host and port, or no fingerprint.
    init(_ relay: RelayDescription) throws(LinkError) {
        guard let address = LinkAddress(relay.link) else {
            throw .connect("\"\(relay.link)\" is not a host and a port")
        }
        guard let fingerprint = Self.bytes(relay.fingerprint) else {
            throw .connect("\"\(relay.fingerprint)\" is not a SHA-256 fingerprint")
        }
        self.address = address
        self.fingerprint = fingerprint
    }

    /// Returns the bytes of 64 hexadecimal digits in lower case.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        default: nil
        }
    }
}
