import COpenSSL

/// Digest of a message that arrives in parts.
package struct MessageDigest: ~Copyable {
    private let function: HashFunction
    private let context: OpaquePointer

    package init(_ function: HashFunction) {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, function.algorithm, nil) == 1 else {
            preconditionFailure("libcrypto has no \(function)")
        }
        self.function = function
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Appends a part of the message, which may be empty.
    package mutating func update(_ part: UnsafeRawBufferPointer) {
        guard let address = part.baseAddress, !part.isEmpty else { return }
        EVP_DigestUpdate(context, address, part.count)
    }

    package mutating func update(_ part: [UInt8]) { part.withUnsafeBytes { update($0) } }

    /// Returns the digest of all parts.
    package consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: function.length)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }
}
