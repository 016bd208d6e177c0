import MediaBase
import Testing
import WebRTCClient

@Suite("LIV-1 path of a WHIP push") struct PushPathWatchTests {
    @Test("9 s without an answer are a lost path; the next answer restores it")
    func loss() {
        var watch = PushPathWatch()
        #expect(watch.look(lastConsent: nil, now: .seconds(50)) == nil)
        #expect(watch.deadline(lastConsent: nil) == .never)
        let last = MediaTime.seconds(100)
        #expect(watch.deadline(lastConsent: last) == .seconds(109))
        #expect(watch.look(lastConsent: last, now: .milliseconds(108_999)) == nil)
        #expect(watch.look(lastConsent: last, now: .seconds(109)) == .lost)
        #expect(watch.look(lastConsent: last, now: .seconds(200)) == nil && watch.deadline(lastConsent: last) == .never)
        #expect(watch.look(lastConsent: .seconds(201), now: .seconds(201)) == .restored)
        #expect(watch.look(lastConsent: .seconds(201), now: .seconds(205)) == nil)
        #expect(watch.look(lastConsent: .seconds(201), now: .seconds(210)) == .lost)
    }

    @Test("After an ICE restart only a later answer counts")
    func restart() {
        var watch = PushPathWatch()
        watch.expectAnswer(now: .seconds(10))
        #expect(watch.look(lastConsent: .seconds(10), now: .seconds(30)) == nil)
        #expect(watch.look(lastConsent: .milliseconds(10_001), now: .seconds(30)) == .restored)
    }
}
