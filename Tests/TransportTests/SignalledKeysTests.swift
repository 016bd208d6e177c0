import DTLS
import MediaBase
import SDP
import SRTP
import Testing
import Transport

@Suite("Keys that both sides tell each other (RFC 4568)")
struct SignalledKeysTests {
    @Test("Each side encrypts with its own key, whichever suite is selected", arguments: SignalledKeys.suites)
    func agreement(_ suite: SRTPSuite) throws {
        let offerer = SignalledKeys()
        #expect(offerer.offered.map(\.suite) == ["AEAD_AES_128_GCM", "AES_CM_128_HMAC_SHA1_80"])
        #expect(Set(offerer.offered.map(\.key)).count == 2)
        let (answerer, answer) = try #require(SignalledKeys.take(offerer.offered, suites: [suite]))
        let mine = try #require(offerer.agreed(by: [answer]))
        #expect(mine.suite == suite && mine.local == answerer.remote && mine.remote == answerer.local)
        #expect(mine.local != mine.remote)
        // The offerer's preference decides if both suites are possible.
        #expect(SignalledKeys.take(offerer.offered)?.keys.suite == .aeadAES128GCM)
    }

    @Test("Unusable keys are refused") func refused() throws {
        let offerer = SignalledKeys()
        var (_, answer) = try #require(SignalledKeys.take(offerer.offered))
        #expect(offerer.agreed(by: []) == nil && offerer.agreed(by: [answer, answer]) == nil)
        let good = answer
        answer.tag = 2
        #expect(offerer.agreed(by: [answer]) == nil)
        answer = good
        answer.suite = "AES_CM_128_HMAC_SHA1_32"
        #expect(offerer.agreed(by: [answer]) == nil)
        answer = good
        answer.key = String(answer.key.dropLast(4))
        #expect(offerer.agreed(by: [answer]) == nil)
        var offer = offerer.offered
        for index in offer.indices { offer[index].suite = "F8_128_HMAC_SHA1_80" }
        #expect(SignalledKeys.take(offer) == nil && SignalledKeys.take([]) == nil)
        offer = offerer.offered
        offer[0].key = "short"
        #expect(SignalledKeys.take(offer)?.answer.tag == 2)
    }
}
