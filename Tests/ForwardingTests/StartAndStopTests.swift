import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Pausing and muting")
struct StartAndStopTests {
    /// Checks that a subscriber's stream shows its interruptions only in the timestamps.
    private func expectContinuous(_ viewed: [ViewedPacket]) {
        for (earlier, later) in zip(viewed, viewed.dropFirst()) {
            #expect(later.sequence == earlier.sequence + 1)
            guard let before = earlier.descriptor, let after = later.descriptor else { continue }
            let isNewFrame = earlier.header.marker
            let mask: UInt16 = after.pictureIDWidth == 2 ? 0x7fff : 0x7f
            #expect(after.pictureID == (before.pictureID &+ (isNewFrame ? 1 : 0)) & mask)
            #expect(after.tl0PicIdx == before.tl0PicIdx &+ (isNewFrame ? 1 : 0))
        }
    }

    @Test(
        "A paused subscriber continues at a key frame without a gap in sequence numbers and PictureIDs",
        arguments: [false, true])
    func pause(_ narrow: Bool) throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        source.hasNarrowPictureIDs = narrow
        source.pictureID = narrow ? 120 : 32_760
        source.tl0 = 250
        let producer = harness.producer(source)
        let paused = try harness.subscriber()
        let other = try harness.subscriber()
        harness.subscribe(paused, to: producer)
        harness.subscribe(other, to: producer)
        var expected: [Int64] = []
        for round in 0..<6 {
            for f in 0..<5 {
                let frame = source.frame(isKey: f == 0, packets: 3)
                try harness.feed(frame, to: producer)
                try harness.flush()
                if round % 2 == 0 { expected += frame.map(\.index) }
            }
            let pausing = round % 2 == 0
            #expect(harness.router.setPaused(pausing, path: paused.path, producer: producer) == !pausing)
            // A second call has no effect and requests nothing.
            #expect(!harness.router.setPaused(pausing, path: paused.path, producer: producer))
            if !pausing {
                // Resumed in the middle of a GOP: nothing before the next key frame.
                let frame = source.frame(isKey: false, packets: 3)
                try harness.feed(frame, to: producer)
                try harness.flush()
            }
        }
        #expect(paused.received.map(\.index) == expected)
        expectContinuous(paused.received)
        expectContinuous(other.received)
        #expect(other.received.count == 6 * 15 + 3 * 3)
    }

    @Test("Audio continues with the next packet after a pause")
    func pauseAudio() throws {
        var source = SyntheticSource(id: 1, kind: .audio)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        for i in 0..<30 {
            if i == 10 { _ = harness.router.setPaused(true, path: subscriber.path, producer: producer) }
            if i == 20 { #expect(!harness.router.setPaused(false, path: subscriber.path, producer: producer)) }
            try harness.feed([source.audioPacket()], to: producer)
            try harness.flush()
        }
        #expect(subscriber.received.map { $0.index - 1000 } == Array(0..<10) + Array(20..<30))
        expectContinuous(subscriber.received)
    }

    @Test(
        "No packet of a muted track is forwarded, and video continues at a key frame",
        arguments: [MediaKind.audio, .video])
    func mute(_ kind: MediaKind) throws {
        var source = SyntheticSource(id: 1, kind: kind)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        func send(isKey: Bool) throws -> [SourcePacket] {
            let packets = kind == .audio ? [source.audioPacket()] : source.frame(isKey: isKey, packets: 3)
            for packet in packets { _ = try harness.feed(packet, to: producer) }
            try harness.flush()
            return packets
        }
        var expected = try send(isKey: true) + send(isKey: false)
        producer.setMuted(true)
        let before = subscriber.datagramCount
        for i in 0..<5 { _ = try send(isKey: i == 2) }
        // A subscriber that joins now gets nothing either.
        let joiner = try harness.subscriber()
        #expect(harness.subscribe(joiner, to: producer) == (kind == .video))
        _ = try send(isKey: true)
        #expect(subscriber.datagramCount == before && joiner.datagramCount == 0)
        producer.setMuted(false)
        if kind == .video { _ = try send(isKey: false) }
        let again = try send(isKey: true) + send(isKey: false)
        expected += again
        #expect(subscriber.received.map(\.index) == expected.map(\.index))
        #expect(joiner.received.map(\.index) == again.map(\.index))
        expectContinuous(subscriber.received)
        expectContinuous(joiner.received)
    }

    @Test("Audio captured while muted is not forwarded when it arrives late", arguments: [MediaKind.audio, .video])
    func lateAfterUnmute(_ kind: MediaKind) throws {
        var source = SyntheticSource(id: 1, kind: kind)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        func next(isKey: Bool = true) -> SourcePacket {
            kind == .audio ? source.audioPacket() : source.frame(isKey: isKey, packets: 1)[0]
        }
        try harness.feed([next()], to: producer)
        try harness.flush()
        producer.setMuted(true)
        let secret = [next(), next(), next()]
        #expect(try harness.feed(secret[0], to: producer) == .muted)
        #expect(try harness.feed(secret[2], to: producer) == .muted)
        producer.setMuted(false)
        #expect(try harness.feed(secret[1], to: producer) == .muted)
        try harness.flush()
        #expect(subscriber.datagramCount == 1)
        let after = next()
        try harness.feed([after], to: producer)
        try harness.flush()
        #expect(subscriber.received.map(\.index) == [1000, after.index])
        // A new subscriber does not get it with the cached frames either.
        let joiner = try harness.subscriber()
        harness.subscribe(joiner, to: producer)
        try harness.catchUpCompletely()
        #expect(joiner.packets.values.flatMap { $0 }.map(\.index) == (kind == .video ? [after.index] : []))
    }

    @Test("A subscriber that is catching up gets nothing more once the track is muted")
    func muteWhileCatchingUp() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<30 { try harness.feed(source.frame(isKey: f == 0, packets: 3), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        #expect(!harness.subscribe(subscriber, to: producer))
        try harness.catchUp()
        let before = subscriber.datagramCount
        #expect(before > 0 && before < 90)
        producer.setMuted(true)
        try harness.catchUpCompletely()
        #expect(subscriber.datagramCount == before)
        producer.setMuted(false)
        let frame = source.frame(isKey: true, packets: 3)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(subscriber.received.suffix(3).map(\.index) == frame.map(\.index))
        expectContinuous(subscriber.received.filter { $0.index >= frame[0].index })
        #expect(
            subscriber.received.indices.dropFirst().allSatisfy {
                subscriber.received[$0].sequence == subscriber.received[$0 - 1].sequence + 1
            })
    }

    @Test("A subscriber that is paused while catching up starts again at a key frame")
    func pauseWhileCatchingUp() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        for f in 0..<30 { try harness.feed(source.frame(isKey: f == 0, packets: 3), to: producer) }
        try harness.flush()
        let subscriber = try harness.subscriber()
        harness.subscribe(subscriber, to: producer)
        try harness.catchUp()
        let before = subscriber.datagramCount
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        #expect(!harness.router.isCatchingUp)
        try harness.catchUpCompletely()
        #expect(subscriber.datagramCount == before)
        #expect(harness.router.setPaused(false, path: subscriber.path, producer: producer))
        let frame = source.frame(isKey: true, packets: 3)
        try harness.feed(frame, to: producer)
        try harness.flush()
        #expect(subscriber.received.count == before + 3)
        #expect(subscriber.received.last?.sequence == subscriber.received[0].sequence + Int64(before + 2))
    }

    @Test("A track that is both muted and paused resumes when both have ended")
    func both() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.flush()
        let before = subscriber.datagramCount
        producer.setMuted(true)
        _ = harness.router.setPaused(true, path: subscriber.path, producer: producer)
        producer.setMuted(false)
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.flush()
        #expect(subscriber.datagramCount == before)
        _ = harness.router.setPaused(false, path: subscriber.path, producer: producer)
        try harness.feed(source.frame(isKey: true), to: producer)
        try harness.flush()
        #expect(subscriber.datagramCount == before + 4)
        expectContinuous(subscriber.received)
    }
}
