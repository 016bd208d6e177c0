import SRTP
import Testing

@Suite("SRTP keys and suites")
struct SRTPKeyTests {
    @Test("Suites have the lengths and names of RFC 4568 and RFC 7714")
    func suites() {
        #expect(SRTPSuite.aesCM128HMACSHA1_80.tagLength == 10)
        #expect(SRTPSuite.aesCM128HMACSHA1_32.tagLength == 4)
        #expect(SRTPSuite.aesCM128HMACSHA1_32.rtcpTagLength == 10)
        #expect(SRTPSuite.aeadAES128GCM.tagLength == 16)
        #expect(SRTPSuite.aeadAES128GCM.masterSaltLength == 12)
        for suite in SRTPSuite.allCases { #expect(SRTPSuite(sdesName: suite.sdesName) == suite) }
        #expect(SRTPSuite(sdesName: "AES_256_CM_HMAC_SHA1_80") == nil)
        #expect(SRTPSuite(sdesName: "") == nil)
    }

    @Test("An inline key is the same after writing and reading", arguments: SRTPSuite.allCases)
    func roundTrip(_ suite: SRTPSuite) throws {
        let key = SRTPKey.random(for: suite)
        #expect(key.base64.utf8.count == 40)
        #expect(try SRTPKey(suite: suite, inline: key.base64) == key)
        #expect(try SRTPKey(suite: suite, inline: "inline:" + key.base64) == key)
        #expect(try SRTPKey(suite: suite, inline: key.base64 + "|2^31") == key)
        let unpadded = String(key.base64.prefix { $0 != "=" })
        #expect(try SRTPKey(suite: suite, inline: unpadded) == key)
        #expect(SRTPKey.random(for: suite) != key)
    }

    @Test("The example of RFC 4568 section 4 is read")
    func example() throws {
        let key = try SRTPKey(
            suite: .aesCM128HMACSHA1_80, inline: "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20")
        #expect(key.bytes == Array("YS___semctl () {\t220;}\n}\nunles".utf8))
    }

    @Test(
        "Invalid keys are refused",
        arguments: [
            "", "=", "inline:", "AAAA", "!VNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz",
            " WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGV",
            "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVzAAAA", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGV=",
            "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20|1:4", "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|1:4",
            "ключ",
        ])
    func refused(_ text: String) {
        #expect(throws: SRTPFailure.invalidKey) { try SRTPKey(suite: .aesCM128HMACSHA1_80, inline: text) }
        #expect(throws: SRTPFailure.invalidKey) { try SRTPKey(suite: .aesCM128HMACSHA1_80, bytes: Array(text.utf8)) }
    }

    @Test("A key does not print itself")
    func redacted() {
        let key = SRTPKey.random(for: .aeadAES128GCM)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(key.base64))
            #expect(!text.contains("\(key.bytes[0]), \(key.bytes[1])"))
            #expect(!text.contains("elements"))
        }
    }
}
