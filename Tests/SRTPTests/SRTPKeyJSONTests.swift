import MillraceTestKit
import SRTP
import Testing

@Suite("JSON of SRTP keys")
struct SRTPKeyJSONTests {
    @Test("A key is the same after a way through JSON", arguments: SRTPSuite.allCases)
    func roundTrip(_ suite: SRTPSuite) throws {
        let key = SRTPKey.random(for: suite)
        #expect(try JSONFaults.decoded(key) == key)
        let faults = try JSONFaults(of: key) { _ = ($0.masterKey, $0.masterSalt) }
        #expect(faults.optional.isEmpty && faults.strange.isEmpty && faults.refused > 30, "\(faults)")
    }

    @Test(
        "A wrong length, an unknown suite and other text than base64 are refused, and no error repeats the key",
        arguments: [
            ("AEAD_AES_128_GCM", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"), ("AES_CM_128_HMAC_SHA1_80", ""),
            ("AES_CM_128_HMAC_SHA1_80", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVzAA=="),
            ("AES_CM_128_HMAC_SHA1_80", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubG"),
            ("AES_CM_128_HMAC_SHA1_80", "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"),
            ("AES_CM_128_HMAC_SHA1_80", "!VNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"),
            ("AES_CM_128_HMAC_SHA1_80", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20"),
            ("AES_256_CM_HMAC_SHA1_80", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"),
        ])
    func invalid(_ suite: String, _ key: String) throws {
        let json = "{\"suite\": \"\(suite)\", \"key\": \"\(key)\"}"
        let error = try #require(throws: DecodingError.self) { try JSONFaults.decode(SRTPKey.self, json) }
        #expect(key.isEmpty || !"\(error)".contains(key.prefix(30)))
    }
}
