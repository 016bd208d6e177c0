import COpenSSL

/// Hash functions of OpenSSL.
package enum HashFunction: Sendable, CaseIterable {
    /// Identifies decoded frames in codec test vectors. Not for security.
    case md5
    case sha256, sha384, sha512

    /// Bytes of a digest.
    package var length: Int {
        switch self {
        case .md5: 16
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Description of the function, owned by OpenSSL.
    var algorithm: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }

    /// Returns the digest of a complete message: `length` bytes.
    package func digest(of message: some Collection<UInt8>) -> [UInt8] {
        var digest = MessageDigest(self)
        digest.update(Array(message))
        return digest.finish()
    }
}
