import DTLS
import Testing

@Suite struct MessageAuthenticationTests {
    /// RFC 2202 section 3.
    @Test(arguments: [
        ([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
        (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
        ),
        (
            [UInt8](repeating: 0xaa, count: 80), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
        // RFC 2104 with empty key and message.
        ([], [], "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"),
    ])
    func hmacSHA1(key: [UInt8], message: [UInt8], code: String) {
        let result = message.withUnsafeBytes { MessageAuthentication.hmacSHA1(key: key, $0) }
        #expect(result.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == code)
    }

    @Test func anEmptyMessageDoesNotGoOnWithAnOlderOne() {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let first = MessageAuthentication.hmacSHA1(key: [1], nothing)
        #expect(first == MessageAuthentication.hmacSHA1(key: [1], nothing))
        #expect(first != MessageAuthentication.hmacSHA1(key: [2], nothing))
    }
}
