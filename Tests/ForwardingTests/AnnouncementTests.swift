import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("Rates that another relay announces for an encoding that it holds back")
struct AnnouncementTests {
    private func rates(
        isActive: Bool = true, isHeldBack: Bool = true, isWithheld: Bool = false
    ) -> AnnouncedRates {
        AnnouncedRates(
            isActive: isActive, isHeldBack: isHeldBack, isWithheld: isWithheld, width: 1280, height: 720,
            bitrates: SIMD4(500_000, 800_000, 1_000_000, 1_000_000), frameRates: SIMD4(750, 1_500, 3_000, 3_000))
    }

    @Test("They stand for packets for two seconds") func lifetime() {
        let harness = RouterHarness()
        let producer = harness.producer(SyntheticSource(id: 1, kind: .video))
        let now = harness.now
        #expect(!producer.isActive(now: now) && !producer.isHeldBack(now: now))
        producer.announce(rates(), now: now)
        for time in [now, now + .seconds(1.9)] {
            #expect(producer.isActive(now: time) && producer.isHeldBack(now: time))
            let measured = producer.measured(now: time)
            #expect(measured.bitrates.map(\.rawValue) == [500_000, 800_000, 1_000_000, 1_000_000])
            #expect(measured.frameRates == [7.5, 15, 30, 30])
        }
        #expect(producer.frameSize?.height == 720)
        let late = now + .seconds(2)
        #expect(!producer.isActive(now: late) && !producer.isHeldBack(now: late))
        #expect(producer.measured(now: late).bitrates.last?.rawValue == 0)
        producer.announce(rates(isActive: false), now: late)
        #expect(!producer.isActive(now: late) && producer.isHeldBack(now: late))
    }

    @Test("An encoding that is withheld is not active from the announcement on, even if a packet arrives late")
    func withheld() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        try harness.feed(source.frame(isKey: true), to: producer)
        let now = harness.now
        #expect(producer.isActive(now: now) && !producer.isWithheld(now: now))
        #expect(producer.announce(rates(isWithheld: true), now: now))
        #expect(!producer.announce(rates(isWithheld: true), now: now), "no change")
        #expect(!producer.isActive(now: now) && producer.isWithheld(now: now) && producer.cachedKeyFrame() == nil)
        harness.now = now + .milliseconds(10)
        try harness.feed(source.frame(isKey: false), to: producer)
        #expect(!producer.isActive(now: harness.now) && !producer.isAnnounced(now: harness.now))
        #expect(producer.announce(rates(), now: harness.now))
        #expect(producer.isActive(now: harness.now) && !producer.isWithheld(now: harness.now))
        #expect(producer.announce(rates(isWithheld: true), now: harness.now))
        #expect(!producer.isWithheld(now: harness.now + .seconds(2)), "announcements end")
    }

    @Test("No subscriber starts with frames from before the encoding was held back; packets end the hold") func cache()
        throws
    {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for number in 0..<5 { try harness.feed(source.frame(isKey: number == 0), to: producer) }
        try harness.flush()
        #expect(producer.cachedKeyFrame() != nil)
        let late = harness.now + .seconds(1)
        producer.announce(rates(), now: late)
        #expect(producer.cachedKeyFrame() == nil && producer.isHeldBack(now: late))
        let subscriber = try harness.subscriber()
        #expect(harness.subscribe(subscriber, to: producer), "a key frame is requested")
        harness.now = late + .milliseconds(100)
        let frame = source.frame(isKey: true)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.index) == frame.map(\.index))
        #expect(!producer.isHeldBack(now: harness.now) && producer.cachedKeyFrame() != nil)
        #expect(producer.measured(now: harness.now).bitrates.last == .kilobits(1_000))
    }

    @Test("Consumers that are paused, or were replaced, take nothing") func takers() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscriber = try harness.subscriber()
        #expect(producer.takers == 0)
        harness.subscribe(subscriber, to: producer)
        #expect(producer.takers > 0, "it waits for a key frame")
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.flush()
        #expect(producer.takers > 0)
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        #expect(producer.takers == 0)
        _ = harness.router.setPaused(false, path: subscriber.path, producer: producer)
        #expect(producer.takers == 1)
        harness.leave(subscriber)
        #expect(producer.takers == 0)
    }
}
