import Cryptography

/// Number that participants compare to detect a relay that shows them wrong keys.
enum SafetyNumber {
    /// Returns 12 groups of 5 digits: the lowest 60 decimal digits of SHA-256 over a roster's digest.
    static func text(ofRoster digest: [UInt8]) -> String {
        var number = HashFunction.sha256.digest(of: Array("\(EncryptionSecret.label) safety\0".utf8) + digest)
        var groups: [String] = []
        for _ in 0..<12 {
            // Divides the number by 100,000.
            var remainder: UInt64 = 0
            for index in number.indices {
                let value = remainder << 8 | UInt64(number[index])
                number[index] = UInt8(truncatingIfNeeded: value / 100_000)
                remainder = value % 100_000
            }
            let digits = String(remainder)
            groups.append(String(repeating: "0", count: 5 - digits.count) + digits)
        }
        return groups.reversed().joined(separator: " ")
    }
}
