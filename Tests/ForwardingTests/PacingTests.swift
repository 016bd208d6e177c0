import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Pacing of a path")
struct PacingTests {
    private func produced(_ videoSource: SyntheticSource, _ audioSource: SyntheticSource) -> (
        RouterHarness, Producer, Producer
    ) {
        let harness = RouterHarness()
        return (harness, harness.producer(videoSource), harness.producer(audioSource))
    }

    @Test(
        "A key frame is sent at the path's rate, audio is sent before it, and all packets arrive in order",
        arguments: [300, 1000, 4000])
    func keyFrame(_ kilobits: Int) throws {
        var videoSource = SyntheticSource(id: 1, kind: .video)
        var audioSource = SyntheticSource(id: 2, kind: .audio)
        let (harness, video, audio) = produced(videoSource, audioSource)
        let paced = try harness.subscriber(lane: .webRTC)
        let free = try harness.subscriber()
        for subscriber in [paced, free] {
            harness.subscribe(subscriber, to: video, ssrc: SSRC(1))
            harness.subscribe(subscriber, to: audio, ssrc: SSRC(2))
        }
        harness.router.path(paced.path).pointee.pacing.setRate(.kilobits(Int64(kilobits)), now: harness.now)
        let burst = max(5_000, kilobits * 1000 / 8 * 40 / 1000)
        let start = harness.now
        var expected: [Int64] = []
        var heard = 0
        var bytes = 0
        func account() {
            bytes = paced.packets.values.joined().reduce(0) { $0 + $1.datagramLength }
            let allowed = burst + Int((harness.now - start).seconds * Double(kilobits) * 125) + 1300 + heard * 160
            #expect(bytes <= allowed, "\(bytes) bytes, \(allowed) allowed")
        }
        for f in 0..<10 {
            let frame = videoSource.frame(isKey: f == 0, packets: f == 0 ? 50 : 1, sizes: [f == 0 ? 1100 : 200])
            expected += frame.map(\.index)
            try harness.feed(frame, to: video)
            for _ in 0..<2 {
                try harness.feed([audioSource.audioPacket(bytes: 100)], to: audio)
                try harness.flush()
                heard += 1
                // The audio packet did not wait.
                #expect(paced.packets[2]?.count == heard)
                for _ in 0..<16 {
                    try harness.catchUp()
                    account()
                }
            }
            #expect(free.packets[1]?.count == expected.count)
        }
        var turns = 0
        while harness.router.isCatchingUp {
            try harness.catchUp()
            account()
            turns += 1
            try #require(turns < 5_000)
        }
        #expect(paced.packets[1]?.map(\.index) == expected)
        #expect(paced.packets[1]?.map(\.sequence) == expected.indices.map { Int64($0) + 100 })
        #expect(try harness.consumer(paced, of: video).pointee.state == .live)
        // The path used the rate that it was given.
        if kilobits == 300 { #expect((harness.now - start).seconds < Double(bytes * 8) / 300_000 + 0.1) }
    }

    @Test("Queued packets are sent several at a time, and those of many paths together")
    func fewSends() throws {
        let harness = RouterHarness()
        var source = SyntheticSource(id: 1, kind: .video)
        let producer = harness.producer(source)
        let subscribers = try (0..<300).map { _ in try harness.subscriber(lane: .webRTC) }
        for subscriber in subscribers {
            harness.subscribe(subscriber, to: producer)
            harness.router.path(subscriber.path).pointee.pacing.setRate(.kilobits(3000), now: harness.now)
        }
        let frame = source.frame(isKey: true, packets: 60, sizes: [1100])
        try harness.feed(frame, to: producer)
        try harness.flush()
        let (messages, batches) = (harness.messages, harness.batches)
        let got = subscribers[0].received.count
        var turns = 0
        while harness.router.isCatchingUp {
            try harness.catchUp()
            turns += 1
            try #require(turns < 1000)
        }
        for subscriber in subscribers { #expect(subscriber.received.map(\.index) == frame.map(\.index)) }
        let packets = (60 - got) * subscribers.count
        // At least five packets in each message, and messages of more than one path in each batch.
        #expect((harness.messages - messages) * 5 < packets)
        #expect((harness.batches - batches) * 12 < harness.messages - messages)
        // 66 kB at 3 Mb/s.
        #expect(turns > 120 && turns < 220)
    }

    @Test(
        "Unpaced packets are charged to the path, whatever their size, and video continues within a second",
        arguments: [100, 700, 10_000])
    func debt(_ kilobits: Int) throws {
        var videoSource = SyntheticSource(id: 1, kind: .video)
        var audioSource = SyntheticSource(id: 2, kind: .audio)
        let (harness, video, audio) = produced(videoSource, audioSource)
        let subscriber = try harness.subscriber(lane: .webRTC)
        harness.subscribe(subscriber, to: video, ssrc: SSRC(1))
        harness.subscribe(subscriber, to: audio, ssrc: SSRC(2))
        harness.router.path(subscriber.path).pointee.pacing.setRate(.kilobits(Int64(kilobits)), now: harness.now)
        for _ in 0..<400 { try harness.feed([audioSource.audioPacket(bytes: 1_000)], to: audio) }
        try harness.flush()
        let frame = videoSource.frame(isKey: true, packets: 2, sizes: [1_000])
        try harness.feed(frame, to: video)
        try harness.flush()
        #expect(subscriber.packets[1] == nil)
        let start = harness.now
        while harness.router.isCatchingUp, harness.now - start < .seconds(5) { try harness.catchUp() }
        #expect(subscriber.packets[1]?.map(\.index) == frame.map(\.index))
        #expect(harness.now - start < .seconds(1))
    }

    @Test("Two tracks on one slow path both get their share")
    func fair() throws {
        let harness = RouterHarness()
        var sources = [SyntheticSource(id: 1, kind: .video), SyntheticSource(id: 2, kind: .video)]
        let producers = sources.map { harness.producer($0) }
        let subscriber = try harness.subscriber()
        for (p, producer) in producers.enumerated() {
            harness.subscribe(subscriber, to: producer, ssrc: SSRC(UInt32(p + 1)))
        }
        harness.router.path(subscriber.path).pointee.pacing.setRate(.kilobits(1000), now: harness.now)
        for p in 0..<2 { try harness.feed(sources[p].frame(isKey: true, packets: 100), to: producers[p]) }
        try harness.flush()
        for _ in 0..<500 { try harness.catchUp() }
        let counts = [1, 2].map { subscriber.packets[$0]?.count ?? 0 }
        #expect(counts.reduce(0, +) > 50 && abs(counts[0] - counts[1]) < 12)
    }

    @Test("A path that is far too slow resumes at a key frame instead of leaving a gap")
    func tooSlow() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source, retransmissionBytes: 128 << 10)
        harness.router.path(subscriber.path).pointee.pacing.setRate(.kilobits(200), now: harness.now)
        var wanted = 0
        var isKey = true
        for _ in 0..<300 {
            try harness.feed(source.frame(isKey: isKey, packets: 4), to: producer)
            isKey = false
            for _ in 0..<33 { try harness.catchUp() }
            if producer.keyFrames.take(now: harness.now) {
                wanted += 1
                isKey = true
            }
        }
        #expect(wanted > 2)
        let packets = subscriber.received
        #expect(packets.map(\.sequence) == packets.indices.map { Int64($0) + 100 })
        for (earlier, later) in zip(packets, packets.dropFirst()) where later.index != earlier.index + 1 {
            #expect(later.descriptor?.isKeyFrameStart == true)
        }
    }

    @Test("A rate of zero turns pacing off, and a rate can be removed")
    func off() throws {
        var source = SyntheticSource(id: 1, kind: .video)
        let (harness, producer, subscriber) = try RouterHarness.watching(source)
        let pacing = { harness.router.path(subscriber.path) }
        pacing().pointee.pacing.setRate(.kilobits(100), now: harness.now)
        try harness.feed(source.frame(isKey: true, packets: 40), to: producer)
        try harness.flush()
        #expect(subscriber.received.count < 40)
        pacing().pointee.pacing.setRate(.kilobits(0), now: harness.now)
        try harness.catchUpCompletely()
        try harness.feed(source.frame(isKey: false, packets: 100), to: producer)
        try harness.flush()
        #expect(subscriber.received.count == 140 && !harness.router.isCatchingUp)
    }
}
