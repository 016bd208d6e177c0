import MediaBase
import MillraceTestKit
import Testing
import WebRTCClient

@Suite("A hundred WebRTC clients in virtual time")
struct CrowdTests {
    @Test("50 publishers and 50 subscribers at 5 % loss: all receive complete frames of the right publisher")
    func crowd() throws {
        let conditions = LinkConditions(loss: 0.05, delay: .milliseconds(15))
        var missed: UInt64 = 0
        for seed in 0..<50 as Range<UInt64> {
            let session = try PeerSession(seed: 1000 + seed, conditions: conditions)
            let subscriber = try session.addSubscriber()
            session.run(seconds: 5)
            let reception = subscriber.reception
            #expect(reception.wrong == 0 && reception.outOfOrder == 0, "session \(seed): \(reception)")
            #expect(reception.frames > 30, "session \(seed): \(reception)")
            missed += reception.missedFrames
        }
        #expect(missed <= 50, "\(missed)")
    }
}
