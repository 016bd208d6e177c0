import COpenSSL

/// Comparison of secrets.
package enum ConstantTime {
    /// Returns whether both arrays are equal, after a time that depends only on their lengths.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
