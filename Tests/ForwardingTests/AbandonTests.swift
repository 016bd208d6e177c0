import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("An encoding that does not fit a path is abandoned")
struct AbandonTests {
    @Test(
        "The rest of its frame is not sent, and one number stays unused after a frame that was cut off",
        arguments: [0, 1, 3, 4])
    func cutting(_ sent: Int) throws {
        let simulcast = Simulcast(RouterHarness())
        let (harness, large) = (simulcast.harness, simulcast.producers[2])
        let subscriber = try harness.subscriber()
        simulcast.subscribe(subscriber, to: 2, rtx: false)
        for _ in 0..<5 { try simulcast.step() }
        let frame = simulcast.frames()[2]
        try harness.feed(Array(frame[..<sent]), to: large)
        try harness.flush()
        #expect(subscriber.received.count == 20 + sent)
        #expect(!harness.router.waitsForKeyFrame(path: subscriber.path, producer: large))

        let skipped: Int64 = sent == 1 || sent == 3 ? 1 : 0
        let last = try #require(subscriber.received.last?.sequence)
        #expect(harness.router.abandon(path: subscriber.path, producer: large) == last + skipped)
        #expect(harness.router.waitsForKeyFrame(path: subscriber.path, producer: large))
        try harness.feed(Array(frame[sent...]), to: large)
        try harness.flush()
        for _ in 0..<5 { try simulcast.step() }
        #expect(subscriber.received.count == 20 + sent)

        #expect(simulcast.change(subscriber, to: 0))
        for _ in 0..<5 { try simulcast.step() }
        let after = subscriber.received[(20 + sent)...]
        #expect(after.map(\.sequence) == (1...5).map { last + skipped + $0 })
        #expect(after.allSatisfy { $0.sourceID == 0 } && after.first?.descriptor?.isKeyFrameStart == true)
        #expect(!harness.router.waitsForKeyFrame(path: subscriber.path, producer: simulcast.producers[0]))
    }

    @Test("Packets that are queued for the path are discarded") func waiting() throws {
        let simulcast = Simulcast(RouterHarness())
        let (harness, large) = (simulcast.harness, simulcast.producers[2])
        let subscriber = try harness.subscriber()
        harness.router.path(subscriber.path).pointee.pacing.setRate(.kilobits(100), now: harness.now)
        simulcast.subscribe(subscriber, to: 2, rtx: false)
        for _ in 0..<10 { try simulcast.step() }
        let received = subscriber.received.count
        #expect(received > 0 && received < 30)
        let last = try #require(harness.router.abandon(path: subscriber.path, producer: large))
        try simulcast.pass(.seconds(2))
        for _ in 0..<5 { try simulcast.step() }
        #expect(subscriber.received.count == received)
        #expect(simulcast.change(subscriber, to: 0))
        for _ in 0..<5 { try simulcast.step() }
        try simulcast.pass(.seconds(2))
        let after = subscriber.received[received...]
        #expect(after.map(\.sequence) == (1...5).map { last + $0 })
        #expect(after.allSatisfy { $0.sourceID == 0 })
    }

    @Test("Nothing is abandoned if the path has no such track") func none() throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        #expect(simulcast.harness.router.abandon(path: subscriber.path, producer: simulcast.producers[1]) == nil)
        #expect(!simulcast.harness.router.waitsForKeyFrame(path: subscriber.path, producer: simulcast.producers[1]))
    }
}
