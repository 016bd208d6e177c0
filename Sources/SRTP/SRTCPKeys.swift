/// SRTCP keys of one direction. Small enough to store for each subscriber: AES round keys are expanded for each packet, since RTCP has only
/// a few packets per second (RFC 3711 section 3.4, RFC 7714 section 9).
struct SRTCPKeys {
    let suite: SRTPSuite
    private let cipherKey: (UInt64, UInt64)
    let salt: SessionSalt
    /// Unused with an AEAD suite.
    let hmac: HMACSHA1

    init(_ key: SRTPKey) {
        self.init(key.suite, SessionKeys(key, .rtcp))
    }

    init(_ suite: SRTPSuite, _ keys: SessionKeys) {
        self.suite = suite
        cipherKey = keys.cipherKey.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        salt = SessionSalt(keys.salt)
        hmac = HMACSHA1(key: keys.authenticationKey)
    }

    @inline(__always)
    func withCipherKey<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
        withUnsafeBytes(of: cipherKey) { body($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
    }
}
