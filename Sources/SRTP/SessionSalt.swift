/// Session salt as two big-endian words, from which the initial value of each packet is computed by XOR.
struct SessionSalt {
    /// Bytes 0..<8.
    let high: UInt64
    /// Bytes 8..<16; bytes beyond the salt are zero.
    let low: UInt64

    init(_ bytes: [UInt8]) {
        func word(_ start: Int) -> UInt64 {
            (start..<start + 8).reduce(0) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
        }
        high = word(0)
        low = word(8)
    }

    /// Writes the 16-byte counter block (salt * 2^16) XOR (SSRC * 2^64) XOR (index * 2^16) (RFC 3711 section 4.1.1).
    ///
    /// - Parameter index: 48 bits for SRTP, 31 bits for SRTCP.
    @inline(__always)
    func writeCounterBlock(ssrc: UInt32, index: UInt64, to block: UnsafeMutableRawPointer) {
        block.storeBytes(of: (high ^ UInt64(ssrc)).bigEndian, as: UInt64.self)
        block.storeBytes(of: (low ^ (index << 16)).bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Writes the 12-byte nonce salt XOR (0 || SSRC || ROC || SEQ), or with a 31-bit index salt XOR (0 || SSRC || 0 || index)
    /// (RFC 7714 sections 8.1 and 9.1).
    @inline(__always)
    func writeNonce(ssrc: UInt32, index: UInt64, to nonce: UnsafeMutableRawPointer) {
        let first = high ^ (UInt64(ssrc) << 16) ^ ((index >> 32) & 0xffff)
        nonce.storeBytes(of: first.bigEndian, as: UInt64.self)
        let last = UInt32(truncatingIfNeeded: low >> 32) ^ UInt32(truncatingIfNeeded: index)
        nonce.storeBytes(of: last.bigEndian, toByteOffset: 8, as: UInt32.self)
    }
}
