import COpenSSL

/// HMAC-SHA-256 (RFC 2104) under one key, whose two padded key blocks are hashed once.
struct HMACSHA256 {
    /// Bytes of a code.
    static let digestLength = 32

    private let inner: SHA256_CTX
    private let outer: SHA256_CTX

    /// - Parameter key: at most 64 bytes.
    init(key: ArraySlice<UInt8>) {
        inner = Self.begin(key, pad: 0x36)
        outer = Self.begin(key, pad: 0x5c)
    }

    private static func begin(_ key: ArraySlice<UInt8>, pad: UInt8) -> SHA256_CTX {
        var block = [UInt8](repeating: pad, count: 64)
        for (index, byte) in key.enumerated() { block[index] ^= byte }
        var context = SHA256_CTX()
        SHA256_Init(&context)
        SHA256_Update(&context, block, block.count)
        return context
    }

    /// Writes the code of everything that `hash` is given by `parts` to `digest`, which has room for `digestLength` bytes.
    func authenticate(to digest: UnsafeMutablePointer<UInt8>, _ parts: (inout SHA256_CTX) -> Void) {
        var context = inner
        parts(&context)
        SHA256_Final(digest, &context)
        var last = outer
        SHA256_Update(&last, digest, Self.digestLength)
        SHA256_Final(digest, &last)
    }
}
