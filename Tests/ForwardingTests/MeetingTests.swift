import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Subscribers that are separated from a stream and meet it again")
struct MeetingTests {
    private func isContiguous(_ subscriber: Subscriber) -> Bool {
        let received = subscriber.received
        return received.indices.dropFirst().allSatisfy { received[$0].sequence == received[$0 - 1].sequence + 1 }
    }

    @Test("SUB-3 frames that a stream made in another subsession are not sent, even if they arrive late")
    func startAnew() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        try harness.flush()
        // The subscriber was in another subsession: it gets the frames that it missed.
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        #expect(!harness.router.resume(path: subscriber.path, producer: producer))
        try harness.catchUpCompletely()
        #expect(subscriber.received.count == 6)
        // The stream was in another subsession, where its cached frames were captured.
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        let late = source.frame(isKey: true, packets: 3)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        producer.keyFrames.request()
        _ = producer.keyFrames.take(now: harness.now)
        producer.startAnew()
        #expect(producer.cachedKeyFrame() == nil)
        #expect(harness.router.resume(path: subscriber.path, producer: producer))
        // However recently a key frame was requested for other subscribers.
        producer.keyFrames.request()
        #expect(producer.keyFrames.deadline == .zero)
        try harness.feed(late, to: producer)
        #expect(producer.keyFrames.isWanted)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        try harness.catchUpCompletely()
        #expect(subscriber.received.count == 6 && producer.cachedKeyFrame() == nil)
        let frame = source.frame(isKey: true, packets: 3)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(subscriber.received.suffix(3).map(\.index) == frame.map(\.index) && subscriber.received.count == 9)
        #expect(isContiguous(subscriber) && producer.cachedKeyFrame() != nil && !producer.keyFrames.isWanted)
    }

    @Test("SUB-3 a subscriber that moves together with a stream continues without a key frame")
    func together() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        try harness.flush()
        let late = source.frame(isKey: false, packets: 1)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        producer.startAnew()
        try harness.feed(late, to: producer)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        #expect(subscriber.received.count == 10)
    }

    @Test("A frame that was cut off is not taken as complete while a key frame is awaited")
    func cutOff() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(Array(source.frame(isKey: true, packets: 3).prefix(2)), to: producer)
        try harness.flush()
        for _ in 0..<3 {
            _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
            producer.startAnew()
            #expect(harness.router.resume(path: subscriber.path, producer: producer))
        }
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        try harness.flush()
        // The two parts are one number apart, however often they were separated.
        #expect(subscriber.received.count == 5)
        #expect(subscriber.received[2].sequence == subscriber.received[1].sequence + 2)
    }

    @Test(
        "One number stays unused after an incomplete frame, however often it is abandoned or separated; none after a complete one",
        arguments: [[true], [false], [true, false], [false, true], [true, true, false, false]], [2, 3])
    func cutOffBothWays(_ ways: [Bool], _ sent: Int) throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(Array(source.frame(isKey: true, packets: 3).prefix(sent)), to: producer)
        try harness.flush()
        let last = try #require(subscriber.received.last?.sequence)
        let unused: Int64 = sent < 3 ? 1 : 0
        for isAbandoned in ways {
            if isAbandoned {
                #expect(harness.router.abandon(path: subscriber.path, producer: producer) == last + unused)
            } else {
                _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
                producer.startAnew()
                #expect(harness.router.resume(path: subscriber.path, producer: producer))
            }
        }
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        try harness.flush()
        #expect(subscriber.received.dropFirst(sent).map(\.sequence) == (1...3).map { last + unused + $0 })
    }

    @Test("A frame abandoned before a separation is not continued afterwards", arguments: [2, 3, 5])
    func abandonedAndParted(_ sent: Int) throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        let packets = source.frame(isKey: true, packets: 3) + source.frame(isKey: false, packets: 3)
        try harness.feed(Array(packets.prefix(sent)), to: producer)
        try harness.flush()
        let last = try #require(subscriber.received.last?.sequence)
        let unused: Int64 = sent == 3 ? 0 : 1
        #expect(harness.router.abandon(path: subscriber.path, producer: producer) == last + unused)
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        try harness.feed(Array(packets.dropFirst(sent)), to: producer)
        try harness.flush()
        // The key frame, of which the subscriber had received packets, is still cached.
        #expect(producer.cachedKeyFrame() != nil)
        #expect(harness.router.resume(path: subscriber.path, producer: producer))
        try harness.catchUpCompletely()
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        #expect(subscriber.received.count == sent)
        try harness.feed(source.frame(isKey: true, packets: 3), to: producer)
        try harness.flush()
        #expect(subscriber.received.dropFirst(sent).map(\.sequence) == (1...3).map { last + unused + $0 })
        // From there on the stream continues as usual.
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        try harness.feed(source.frame(isKey: false, packets: 3), to: producer)
        try harness.flush()
        #expect(!harness.router.resume(path: subscriber.path, producer: producer))
        try harness.catchUpCompletely()
        #expect(subscriber.received.count == sent + 6)
    }

    @Test("An encoding that fed the subscriber earlier starts again with its cached key frame")
    func encodingOfBefore() throws {
        let simulcast = Simulcast(RouterHarness())
        let subscriber = try simulcast.harness.subscriber()
        simulcast.subscribe(subscriber, to: 0)
        for _ in 0..<5 { try simulcast.step() }
        simulcast.change(subscriber, to: 1)
        for _ in 0..<5 { try simulcast.step() }
        let before = subscriber.packets[Simulcast.media.rawValue]?.count ?? 0
        #expect(subscriber.packets[Simulcast.media.rawValue]?.last?.sourceID == 1)
        let router = simulcast.harness.router
        _ = router.setPaused(true, path: subscriber.path, producer: simulcast.producers[1])
        #expect(!simulcast.change(subscriber, to: 0))
        #expect(!router.resume(path: subscriber.path, producer: simulcast.producers[0]))
        for _ in 0..<5 { try simulcast.step() }
        let packets = subscriber.packets[Simulcast.media.rawValue] ?? []
        // All packets of the first encoding since its key frame, under new numbers.
        #expect(packets.count >= before + 15 && packets.last?.sourceID == 0)
        #expect(packets.map(\.sequence) == packets.indices.map { 32_700 + Int64($0) })
    }
}
