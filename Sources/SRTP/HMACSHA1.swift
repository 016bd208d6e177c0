import COpenSSL

/// State of SHA-1 after complete blocks: five words in machine order, as in libcrypto and libipsec-mb.
struct SHA1State {
    var h0: UInt32 = 0
    var h1: UInt32 = 0
    var h2: UInt32 = 0
    var h3: UInt32 = 0
    var h4: UInt32 = 0
}

/// HMAC-SHA1 (RFC 2104) with one key. The two padded key blocks are hashed once and stored as 2 * 20 bytes.
struct HMACSHA1 {
    private(set) var inner: SHA1State
    private(set) var outer: SHA1State

    /// - Parameter key: at most 64 bytes.
    init(key: [UInt8]) {
        inner = Self.hash(key, pad: 0x36)
        outer = Self.hash(key, pad: 0x5c)
    }

    private static func hash(_ key: [UInt8], pad: UInt8) -> SHA1State {
        let block = (0..<64).map { ($0 < key.count ? key[$0] : 0) ^ pad }
        var context = SHA_CTX()
        SHA1_Init(&context)
        SHA1_Update(&context, block, 64)
        return SHA1State(h0: context.h0, h1: context.h1, h2: context.h2, h3: context.h3, h4: context.h4)
    }

    /// Writes the 20-byte HMAC of `count` bytes at `message` to `digest`.
    @inline(__always)
    func authenticate(_ message: UnsafeRawPointer, count: Int, to digest: UnsafeMutablePointer<UInt8>) {
        var context = Self.resume(inner)
        SHA1_Update(&context, message, count)
        finish(&context, to: digest)
    }

    /// Writes the HMAC of a message followed by four big-endian bytes: the ROC of RFC 3711 section 4.2, which is not in the buffer.
    @inline(__always)
    func authenticate(
        _ message: UnsafeRawPointer, count: Int, rolloverCounter: UInt32, to digest: UnsafeMutablePointer<UInt8>
    ) {
        var context = Self.resume(inner)
        SHA1_Update(&context, message, count)
        var word = rolloverCounter.bigEndian
        SHA1_Update(&context, &word, 4)
        finish(&context, to: digest)
    }

    @inline(__always)
    private func finish(_ context: inout SHA_CTX, to digest: UnsafeMutablePointer<UInt8>) {
        SHA1_Final(digest, &context)
        var last = Self.resume(outer)
        SHA1_Update(&last, digest, 20)
        SHA1_Final(digest, &last)
    }

    @inline(__always)
    private static func resume(_ state: SHA1State) -> SHA_CTX {
        var context = SHA_CTX()
        context.h0 = state.h0
        context.h1 = state.h1
        context.h2 = state.h2
        context.h3 = state.h3
        context.h4 = state.h4
        context.Nl = 512  // bits of the key block that is hashed already
        return context
    }
}

/// Returns whether two tags are equal, in constant time.
@inline(__always)
func tagsEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    CRYPTO_memcmp(left, right, count) == 0
}
