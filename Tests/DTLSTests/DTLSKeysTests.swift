import DTLS
import SRTP
import Testing

@Suite struct DTLSKeysTests {
    @Test func keysAreNotPrinted() {
        let key = SRTPKey.random(for: .aeadAES128GCM)
        let keys = DTLSKeys(suite: .aeadAES128GCM, local: key, remote: key)
        #expect(!"\(keys)".contains(key.base64))
    }
}
