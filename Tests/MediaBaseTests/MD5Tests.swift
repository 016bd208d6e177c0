import MediaBase
import Testing

@Suite struct MD5Tests {
    @Test(
        "RFC 1321 appendix A.5",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        ])
    func vectors(text: String, digest: String) {
        #expect(MD5.hexDigest(of: Array(text.utf8)) == digest)
    }

    @Test("pieces of any size give the digest of the whole", arguments: [1, 7, 55, 56, 57, 63, 64, 65, 128, 1000])
    func pieces(size: Int) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var digest = MD5()
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { digest.update($0) }
        }
        #expect(digest.hexDigest() == MD5.hexDigest(of: bytes))
    }

    @Test("asking for the digest does not end it")
    func goesOn() {
        var digest = MD5()
        Array("ab".utf8).withUnsafeBytes { digest.update($0) }
        _ = digest.digest()
        Array("c".utf8).withUnsafeBytes { digest.update($0) }
        #expect(digest.hexDigest() == "900150983cd24fb0d6963f7d28e17f72")
    }
}
